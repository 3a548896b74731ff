import { randomUUID } from 'node:crypto';
import type { Term } from '#agents';
import { AgentError } from '#agents';
import { type AgentRole, assertDeclared, callsFor, Leadership, purposesOf } from '#agents/kubernetes';
import { groupOf, type Watched, type WatchingOptions } from '../watching/watched.js';
import { machineNow, missingKubeconfigs, openApi, openCluster } from './open-kubernetes.js';
import { checkRights, untilAllowed } from './rights.js';

const usualNamespace = 'curtail';
const probeMs = 3000;

/**
 * A Kubernetes cluster, with its lease if there are several agents. It waits for permissions that are not granted yet.
 *
 * @throws SettingsError if the kubeconfig names no cluster.
 */
export function watchKubernetes({ settings, host, log, onTrouble }: WatchingOptions): Watched {
  const api = openApi(settings, (method, path, isWatch) => assertDeclared(method, path, isWatch));
  for (const missing of missingKubeconfigs(api)) log.warn({ context: api.context }, `${missing}.`);
  const { mode, kubernetesQueues: queues, lease, partition } = settings;
  const namespace = lease?.namespace ?? api.namespace ?? usualNamespace;
  const role: AgentRole = { mode, queues, lease: lease !== undefined };
  let isAllowed = false;
  return {
    address: api.server.href,
    group: groupOf(partition),
    connected: 'Connected to Kubernetes: reporting pods, nodes and quotas.',
    checks: [
      {
        name: 'kubernetes',
        check: async () => {
          await api.get('/version', { signal: AbortSignal.timeout(probeMs) });
        },
      },
      {
        name: 'rights',
        check: async () => {
          if (isAllowed) return;
          throw new AgentError(
            'rights-missing',
            'a permission that is needed to read the cluster is missing, or not checked yet',
          );
        },
      },
    ],
    async untilAllowed(signal) {
      const check = () => checkRights(api, role, { agent: namespace, scheduler: settings.yunikornNamespace });
      isAllowed = (await untilAllowed(check, { log, signal, onTrouble })) !== undefined;
      return isAllowed;
    },
    async lead(act, signal) {
      if (lease === undefined) return act(alone(signal), () => {});
      const identity = `${host}_${randomUUID()}`;
      const leadership = new Leadership(api, {
        namespace,
        name: lease.name,
        identity,
        now: machineNow,
        onTrouble: (error) =>
          onTrouble(`Could not use the lease ${namespace}/${lease.name}; retrying`, error),
      });
      log.info({ identity }, `The agent is on standby for the lease ${namespace}/${lease.name}.`);
      await leadership.run(act, signal);
    },
    connect(assertHeld) {
      const rules = callsFor(purposesOf(role));
      const own = openApi(settings, (method, path, isWatch) => {
        assertDeclared(method, path, isWatch, rules);
        if (method !== 'GET') assertHeld();
      });
      const cluster = openCluster(settings, {
        api: own,
        partition,
        mode: () => mode,
        now: machineNow,
        log,
        onTrouble,
      });
      return Object.assign(cluster, {
        size: () => {
          const { pods, silentMs } = cluster.status();
          return { pods, silentSeconds: silentMs / 1000 };
        },
        close: () => own.close(),
      });
    },
    close: () => api.close(),
  };
}

/** Without a lease this agent is the only one. */
const alone = (signal: AbortSignal): Term => ({
  signal,
  sequenceAfter: machineNow().getTime() * 1000,
  holds: () => !signal.aborted,
});
