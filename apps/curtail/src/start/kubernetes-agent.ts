import { type AgentRole, assertDeclared } from '#agents/kubernetes';
import { isLimitedToObserve, modeInForce } from '#enforcement';
import {
  assertQueueSource,
  missingKubeconfigs,
  openApi,
  openCluster,
  troubleLog,
} from '../../../agent/src/kubernetes/open-kubernetes.js';
import { checkRights, untilAllowed } from '../../../agent/src/kubernetes/rights.js';
import { type AgentOfKind, agentsInProcess } from './agent-in-process.js';

const partition = 'default';

/**
 * The agent of a Kubernetes cluster, in the process that enforces its quotas. It waits for an API server that is down, and for missing rights.
 * With rights that only suffice to read, it evicts and writes nothing.
 */
export const kubernetesAgent: AgentOfKind = { check, open };

async function check(settings: Parameters<AgentOfKind['check']>[0]): Promise<void> {
  openApi(settings, (method, path, isWatch) => assertDeclared(method, path, isWatch)).close();
  assertQueueSource(settings);
}

async function open(...[settings, { app, runtime, log }]: Parameters<AgentOfKind['open']>) {
  const api = openApi(settings, (method, path, isWatch) => assertDeclared(method, path, isWatch));
  for (const missing of missingKubeconfigs(api)) log.warn({ context: api.context }, `${missing}.`);
  log.info({ server: api.server.href, context: api.context }, `Watching Kubernetes at ${api.server.href}.`);
  const onTrouble = troubleLog(log);
  const now = () => runtime.clock.now();
  let mode: AgentRole['mode'] = 'observe';
  const cluster = openCluster(settings, {
    api,
    partition,
    mode: () => mode,
    // In observe mode it writes nothing, whatever the kubeconfig allows.
    writesFindingEvents: modeInForce(null, settings).mode === 'enforce',
    now,
    log,
    onTrouble,
  });
  const agents = agentsInProcess(cluster, { app, runtime, onTrouble });
  const stopping = new AbortController();

  async function run(): Promise<void> {
    const { kubernetesQueues: queues, yunikornNamespace: scheduler } = settings;
    // Operators may change the mode at any time, but without the rights only observe works.
    const role: AgentRole = { mode: modeInForce(null, settings).mode, queues, lease: false };
    const check = (of: AgentRole) => checkRights(api, of, { agent: scheduler, scheduler });
    const options = { log, onTrouble, signal: stopping.signal };
    if (!(await untilAllowed(() => check(role), options))) return;
    if (isLimitedToObserve(settings)) {
      log.info('CURTAIL_MODE=observe: nothing is evicted or written, whatever mode is set.');
    } else {
      const missing = await check({ ...role, mode: 'enforce' });
      mode = missing.names.length === 0 ? 'enforce' : 'observe';
      if (mode === 'observe') {
        log.info({ missing: missing.names }, 'The rights suffice to observe: nothing is evicted or written.');
      }
    }
    await agents.start();
    log.info({ partition }, 'Kubernetes is synchronized: pods, nodes, queues and quotas are reported.');
  }
  return {
    start: async () => {
      run().catch((error: Error) => {
        log.error({ err: error }, 'Could not start the agent of Kubernetes.');
      });
    },
    stop: async () => {
      stopping.abort();
      await agents.stop();
      api.close();
    },
  };
}
