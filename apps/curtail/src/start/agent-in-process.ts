import type { INestApplicationContext } from '@nestjs/common';
import type { Logger } from 'pino';
import {
  Agent,
  type AgentTransport,
  type ConfigurationSource,
  type Evictor,
  PartitionAgents,
  type PartitionedCluster,
  type ReportSource,
  Sequence,
} from '#agents';
import { InProcessTransport } from '#agents/in-process';
import { EvictionAnswers, InventoryReports } from '#clusters';
import { consumerOf } from '#messaging';
import type { CurtailSettings, Runtime, Worker } from '#runtime';
import { TakeSubmissions } from '../../../config-ingest/src/submit/take-submissions.js';
import { TakeAnswers } from '../../../console/src/answers/take-answers.js';

/** What runs the agent of a cluster of one kind in one process with Curtail. */
export interface AgentOfKind {
  /**
   * Whether the agent could ever work with these settings. A server that does not answer may come back, so it is not refused.
   *
   * @throws SettingsError
   */
  check(settings: CurtailSettings): Promise<void>;
  open(
    settings: CurtailSettings,
    parts: { app: INestApplicationContext; runtime: Runtime; log: Logger },
  ): Promise<Worker>;
}

/** A cluster that an agent watches in one process with Curtail. */
export interface ClusterInProcess extends PartitionedCluster {
  readonly evictor: Evictor;
  partition(name: string): ReportSource & ConfigurationSource;
  /** The CloudEvents source of a sender for this cluster. */
  speaksAs(sender: string): string;
}

/** The agents of a cluster, which hand their messages directly to the services of this process. */
export function agentsInProcess(
  cluster: ClusterInProcess,
  {
    app,
    runtime,
    onTrouble,
  }: {
    app: INestApplicationContext;
    runtime: Runtime;
    onTrouble: (what: string, error: Error) => void;
  },
): PartitionAgents {
  const now = () => runtime.clock.now();
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
  return new PartitionAgents(cluster, transport, agentOf, onTrouble);
}

/** A worker that does not wait until its cluster is known, and says so once it is. */
export function agentWorker(
  agents: PartitionAgents,
  {
    log,
    mode,
    cluster,
    known,
    close,
  }: {
    log: Logger;
    mode: 'observe' | 'enforce';
    /** Its name in messages. */
    cluster: string;
    /** Logged once it is known. */
    known: () => { partition: string | undefined; what: string };
    close: () => void;
  },
): Worker {
  let isStopped = false;
  return {
    start: async () => {
      if (mode === 'observe') log.info('CURTAIL_MODE=observe: nothing is evicted, whatever mode is set.');
      agents.start().then(
        () => {
          // Agents that are stopped before their cluster answers end their start, too.
          if (isStopped) return;
          const { partition, what } = known();
          log.info({ partition }, `${cluster} is known: ${what} are reported.`);
        },
        (error: Error) => log.error({ err: error }, `Could not start the agent of ${cluster}.`),
      );
    },
    stop: async () => {
      isStopped = true;
      await agents.stop();
      close();
    },
  };
}
