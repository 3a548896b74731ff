import type { INestApplicationContext } from '@nestjs/common';
import type { Logger } from 'pino';
import { Agent, type AgentTransport, InProcessTransport, PartitionAgents, Sequence } from '#agents';
import { YarnCluster } from '#agents/yarn';
import { EvictionAnswers, InventoryReports } from '#clusters';
import { isLimitedToObserve } from '#enforcement';
import { consumerOf } from '#messaging';
import type { CurtailSettings, Runtime, Worker } from '#runtime';
import { troubleLog } from '../../../agent/src/kubernetes/open-kubernetes.js';
import { openYarn, openYarnSettings } from '../../../agent/src/yarn/open-yarn.js';
import { TakeSubmissions } from '../../../config-ingest/src/submit/take-submissions.js';
import { TakeAnswers } from '../../../console/src/answers/take-answers.js';

const partition = 'default';

/**
 * The agent of a YARN cluster, in the process that enforces its quotas. It waits for a manager that is down, and for rights that are missing.
 *
 * @throws SettingsError for an invalid address, or a file of settings that cannot be used.
 */
export async function yarnAgent(
  settings: CurtailSettings,
  { app, runtime, log }: { app: INestApplicationContext; runtime: Runtime; log: Logger },
): Promise<Worker> {
  const api = openYarn(settings);
  const fileSettings = await openYarnSettings(settings);
  log.info({ urls: api.urls }, `Watching YARN at ${api.urls.join(', ')}.`);
  const onTrouble = troubleLog(log);
  const now = () => runtime.clock.now();
  const mode = isLimitedToObserve(settings) ? 'observe' : 'enforce';
  const cluster = new YarnCluster({ api, partition, settings: fileSettings, mode: () => mode, onTrouble });
  const transport = new InProcessTransport(
    runtime.database,
    {
      inventory: consumerOf(app.get(InventoryReports, { strict: false })),
      answers: consumerOf(app.get(EvictionAnswers, { strict: false })),
      submissions: consumerOf(app.get(TakeSubmissions, { strict: false })),
      owners: consumerOf(app.get(TakeAnswers, { strict: false })),
    },
    now,
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
      sequence: new Sequence(now().getTime()),
      now: () => now().getTime(),
      onTrouble,
    });
  };
  const agents = new PartitionAgents(cluster, transport, agentOf, onTrouble);
  return {
    start: async () => {
      if (mode === 'observe') log.info('CURTAIL_MODE=observe: nothing is evicted, whatever mode is set.');
      agents.start().then(
        () =>
          log.info({ partition }, 'YARN is known: queues, applications, containers and nodes are reported.'),
        (error: Error) => log.error({ err: error }, 'Could not start the agent of YARN.'),
      );
    },
    stop: async () => {
      await agents.stop();
      api.close();
    },
  };
}
