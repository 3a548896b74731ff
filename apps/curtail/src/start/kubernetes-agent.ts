import type { INestApplicationContext } from '@nestjs/common';
import type { Logger } from 'pino';
import { Agent, type AgentTransport, InProcessTransport, PartitionAgents, Sequence } from '#agents';
import { type AgentRole, assertDeclared } from '#agents/kubernetes';
import { EvictionAnswers, InventoryReports } from '#clusters';
import { isLimitedToObserve, modeInForce } from '#enforcement';
import { consumerOf } from '#messaging';
import type { CurtailSettings, Runtime, Worker } from '#runtime';
import {
  missingKubeconfigs,
  openApi,
  openCluster,
  troubleLog,
} from '../../../agent/src/kubernetes/open-kubernetes.js';
import { checkRights, untilAllowed } from '../../../agent/src/kubernetes/rights.js';
import { TakeSubmissions } from '../../../config-ingest/src/submit/take-submissions.js';
import { TakeAnswers } from '../../../console/src/answers/take-answers.js';

const partition = 'default';

/**
 * The agent of a cluster, in the process that enforces its quotas. It waits for an API server that is down, and for missing rights. With
 * rights that only suffice to read, it evicts and writes nothing.
 *
 * @throws SettingsError for a kubeconfig without a cluster, or an invalid address of YuniKorn.
 */
export function kubernetesAgent(
  settings: CurtailSettings,
  { app, runtime, log }: { app: INestApplicationContext; runtime: Runtime; log: Logger },
): Worker {
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
  const transport = new InProcessTransport(
    runtime.database,
    {
      inventory: consumerOf(app.get(InventoryReports, { strict: false })),
      answers: consumerOf(app.get(EvictionAnswers, { strict: false })),
      submissions: consumerOf(app.get(TakeSubmissions, { strict: false })),
      owners: consumerOf(app.get(TakeAnswers, { strict: false })),
    },
    () => runtime.clock.now(),
    () => cluster.speaksAs('in-process'),
  );
  runtime.bus.subscribe(transport);
  const agentOf = (name: string, way: AgentTransport) => {
    const view = cluster.partition(name);
    return new Agent({
      partition: name,
      reports: view,
      configuration: view,
      evictor: cluster.evictor,
      transport: way,
      sequence: new Sequence(runtime.clock.now().getTime()),
      now: () => runtime.clock.now().getTime(),
      onTrouble,
    });
  };
  const agents = new PartitionAgents(cluster, transport, agentOf, onTrouble);
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
