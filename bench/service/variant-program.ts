import { randomUUID } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import type { Logger } from 'pino';
import { Agent, type EvictionOutcome, type ReportSource, Sequence } from '#agents';
import { InProcessTransport } from '#agents/in-process';
import { EvictionAnswers, InventoryReports } from '#clusters';
import { consumerOf, type EventBus } from '#messaging';
import { curtailSettings, type Runtime, runApps, runProgram } from '#runtime';
import { TakeSubmissions } from '../../apps/config-ingest/src/submit/take-submissions.js';
import { TakeAnswers } from '../../apps/console/src/answers/take-answers.js';
import { readModelConsumer } from '../../apps/console/src/read-model/statements.js';
import { allApps } from '../../apps/curtail/src/start/run-all-in-one.js';
import { largeQueue, usualPartition } from './load.js';

/*
 * Curtail in one process, in two variants:
 * - with `CURTAIL_BENCH_ALLOCATIONS`: on the inventory driver, beside the agent of a platform that answers every request at once and ends the
 *   allocation with it. All but the platform is the shape that watches a Kubernetes cluster. So many allocations run in `largeQueue`.
 * - with `CURTAIL_BENCH_READ_MODEL=no`: without the consumer that keeps the read model.
 */

type Work = Omit<ReturnType<ReportSource['listing']>, 'budgets'>;

/** Ends an allocation when it is asked to, and reports that. */
class PromptPlatform implements ReportSource {
  readonly isSynced = true;
  private readonly running = new Map<string, Work['allocations'][number]>();
  private gone: { id: string; uid: string; queue: string }[] = [];
  private onChange = () => {};

  constructor(private readonly work: Work) {
    for (const one of work.allocations) this.running.set(one.id, one);
  }

  async start(onChange: () => void): Promise<void> {
    this.onChange = onChange;
  }

  async stop(): Promise<void> {}

  listing(): ReturnType<ReportSource['listing']> {
    this.gone = [];
    return { ...this.work, allocations: [...this.running.values()], budgets: [] };
  }

  changes() {
    const allocationsGone = this.gone;
    this.gone = [];
    const nothing = { nodes: [], nodesGone: [], applications: [], applicationsGone: [], allocations: [] };
    return { ...nothing, allocationsGone, budgets: [], budgetsGone: [] };
  }

  async isCurrent(): Promise<boolean> {
    return true;
  }

  async evict({ allocation: id, uid }: { allocation: string; uid: string }): Promise<EvictionOutcome> {
    const one = this.running.get(id);
    if (!one) return { answer: 'gone' };
    if (one.uid !== uid) return { answer: 'other-incarnation', uid: one.uid };
    this.running.delete(id);
    this.gone.push({ id, uid, queue: one.queue });
    this.onChange();
    return { answer: 'accepted' };
  }

  async announce(): Promise<void> {}
}

function workOf(allocations: number): Work {
  const queues = 1000;
  const startedAt = (i: number) => new Date(Date.UTC(2026, 0, 1) + i * 1000).toISOString();
  return {
    nodes: Array.from({ length: Math.ceil(allocations / 100) }, (_, i) => ({
      id: `n${i}`,
      capacity: { memory: 512_000_000_000, vcore: 128_000 },
    })),
    applications: Array.from({ length: queues }, (_, i) => ({
      id: `app-${i}`,
      queue: `${largeQueue}.q${i}`,
      user: 'bench',
    })),
    allocations: Array.from({ length: allocations }, (_, i) => ({
      id: `a-${i}`,
      uid: randomUUID(),
      application: `app-${i % queues}`,
      queue: `${largeQueue}.q${i % queues}`,
      node: `n${Math.floor(i / 100)}`,
      resources: { memory: 4_000_000_000, vcore: 1000 },
      startedAt: startedAt(i),
    })),
  };
}

const allocations = process.env.CURTAIL_BENCH_ALLOCATIONS;
const hasReadModel = process.env.CURTAIL_BENCH_READ_MODEL !== 'no';

await runProgram(
  { name: 'benchmark', groups: {}, settings: curtailSettings },
  async (read, { log, shutdown }) => {
    // The inventory that no Kafka brings reports to is that of an agent in the same process.
    const settings = allocations === undefined ? read : { ...read, cluster: 'kubernetes' as const };
    let agent: Agent | undefined;
    const { url } = await runApps(allApps(settings), settings, {
      ...{ log, shutdown, name: 'curtail' },
      beforeStart: async (app, runtime) => {
        if (!hasReadModel) leaveOut(readModelConsumer, runtime.bus);
        if (allocations !== undefined)
          agent = agentOf(new PromptPlatform(workOf(Number(allocations))), app, runtime, log);
      },
    });
    shutdown.register('workers', 'the agent', async () => agent?.stop());
    await agent?.start();
    return url;
  },
);

/** As if no process had this consumer. */
function leaveOut(name: string, bus: EventBus): void {
  const { subscribe } = bus;
  bus.subscribe = (consumer) => {
    if (consumer.name !== name) subscribe.call(bus, consumer);
  };
}

function agentOf(
  platform: PromptPlatform,
  app: INestApplicationContext,
  { database, bus, clock }: Runtime,
  log: Logger,
): Agent {
  const now = () => clock.now();
  const takers = {
    inventory: consumerOf(app.get(InventoryReports, { strict: false })),
    answers: consumerOf(app.get(EvictionAnswers, { strict: false })),
    submissions: consumerOf(app.get(TakeSubmissions, { strict: false })),
    owners: consumerOf(app.get(TakeAnswers, { strict: false })),
  };
  const transport = new InProcessTransport(database, takers, now, () => '/bench/platform');
  bus.subscribe(transport);
  return new Agent({
    ...{ partition: usualPartition, reports: platform, evictor: platform, transport },
    sequence: new Sequence(now().getTime()),
    now: () => now().getTime(),
    onTrouble: (what, error) => log.error({ err: error }, what),
  });
}
