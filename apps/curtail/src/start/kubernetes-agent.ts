import { Agent, InProcessTransport, Sequence } from '@curtail/agents';
import { assertDeclared } from '@curtail/agents/kubernetes';
import { EvictionAnswers, InventoryReports } from '@curtail/clusters';
import type { CurtailSettings, Runtime, Shutdown } from '@curtail/platform';
import type { INestApplicationContext } from '@nestjs/common';
import type { Logger } from 'pino';
import { openApi, openCluster, troubleLog } from '../../../agent/src/open-kubernetes.js';
import { TakeSubmissions } from '../../../config-ingest/src/take-submissions.js';

const partition = 'default';

/**
 * The agent of a cluster, in the process that enforces its quotas.
 *
 * @throws SettingsError if the kubeconfig names no cluster.
 */
export function kubernetesAgent(
  settings: CurtailSettings,
  { app, runtime, log }: { app: INestApplicationContext; runtime: Runtime; log: Logger },
): Agent {
  const api = openApi(settings, (method, path, isWatch) => assertDeclared(method, path, isWatch));
  log.info({ server: api.server.href, context: api.context }, `Kubernetes is watched at ${api.server.href}.`);
  const onTrouble = troubleLog(log);
  const now = () => runtime.clock.now();
  const cluster = openCluster(settings, { api, partition, mode: 'enforce', now, log, onTrouble });
  const transport = new InProcessTransport(
    runtime.database,
    {
      inventory: app.get(InventoryReports, { strict: false }),
      answers: app.get(EvictionAnswers, { strict: false }),
      submissions: app.get(TakeSubmissions, { strict: false }),
    },
    () => runtime.clock.now(),
  );
  runtime.bus.subscribe(transport);
  return new Agent({
    partition,
    reports: cluster,
    configuration: cluster,
    evictor: cluster.evictor,
    transport,
    sequence: new Sequence(runtime.clock.now().getTime()),
    now: () => runtime.clock.now().getTime(),
    onTrouble,
  });
}

/** In the background: an API server that is away is waited for. */
export function runAgent(agent: Agent, { log, shutdown }: { log: Logger; shutdown: Shutdown }): void {
  agent.start().then(
    () => log.info('Kubernetes is known: pods, nodes, namespaces and quotas are reported.'),
    (error: Error) => log.error({ err: error }, 'The agent of Kubernetes could not be started.'),
  );
  shutdown.register('workers', 'the agent', () => agent.stop());
}
