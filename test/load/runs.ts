import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { place } from '#clusters';
import { catalog, topics } from '#contracts/events';
import { openDatabase } from '#event-store';
import { numbers } from '../../bench/inputs.js';
import { quantile } from '../../bench/measure.js';
import { type Row, report } from '../../bench/report.js';
import { submit } from '../../bench/service/load.js';
import { countTransactions } from '../../bench/service/transactions.js';
import type { Three } from '../../scripts/infra/index.js';
import { startBareConsumer } from './bare-clients.js';
import { countStatements } from './count-statements.js';
import { type Cpu, cpuOf, cpuSince, ourself } from './cpu.js';
import { progress } from './progress.js';
import type { Scale } from './scale.js';
import { createDatabase, type System, startSystem } from './system.js';
import { type TopicWatch, watchTopics } from './watch-topics.js';

const victims = 10;
const targetMs = 18;
/** From a configuration to the first due time: clocks are set and seen in advance before the measurement begins. */
const leadMs = 12_000;
const settleMs = 3000;
const withinMs = 300_000;
const calmMs = 10_000;
const environment = { CURTAIL_APPROVE_ABOVE_PERCENT: '100', CURTAIL_VICTIMS_PER_SECOND: '1000' };
/** The topics of a run. */
const read = [topics.enforcement, topics.plans, topics.evictions];
const bare = 'bare consumer';
/** For each event: begin, insert, commit. */
const statementsOfBare = 3;
const transactions = 'transactions';

/** Runs that become due one after the other, in a partition of their own. */
interface Due {
  runs: number;
  /** On average. */
  perSecond: number;
}

/**
 * What runs of ten victims cost from their due time until they are satisfied, in core time of all services less their idle rate, beside a
 * bare consumer that parses the same events as they arrive and inserts a row for each in a transaction of its own. Due times, and the
 * sizes, ages and applications of the work are drawn. docs/explanation/performance.md, "Distributed"
 */
export async function benchRuns(three: Three, { rounds }: Scale): Promise<void> {
  const isWhole = rounds > 1;
  const rates: Due[] = [
    { runs: isWhole ? 40 : 5, perSecond: 1 },
    { runs: isWhole ? 200 : 20, perSecond: 10 },
  ];
  const system = await startSystem(three, { environment });
  const beside = await createDatabase(three.postgres.url, system.connection.topicName('bare'));
  const consumer = await startBareConsumer(
    { brokers: system.brokers, databaseUrl: beside },
    read.map(system.connection.topicName),
  );
  const watch = await watchTopics(system, read);
  const pids = new Map([...system.pids, [bare, consumer.pid]]);
  const used = async (): Promise<Cpu> =>
    new Map([...(await cpuOf(pids)), [transactions, await countTransactions(system.databaseUrl)]]);
  const database = new pg.Client({ connectionString: system.databaseUrl });
  try {
    await database.connect();
    const isCounted = async () => {
      const { rows } = await database.query<{ events: number }>(
        'SELECT count(*)::int AS events FROM events WHERE topic = ANY ($1)',
        [read],
      );
      return consumer.handled() >= rows[0]!.events;
    };
    const runs = new DrawnRuns(system, watch, isCounted);
    await (await runs.set({ runs: isWhole ? 300 : 30, perSecond: 10 }))();
    const costs = new Map<Due, Cpu[]>(rates.map((due) => [due, []]));
    for (let round = 1; round <= rounds; round++) {
      for (const due of rates) {
        costs.get(due)!.push(await costOfEach(due, runs, used));
        progress(`runs: ${due.perSecond} a second, round ${round} of ${rounds}`);
      }
    }
    for (const due of rates) {
      const idle = (await countStatements(three, database, () => delay(calmMs))) / calmMs;
      const end = await runs.set(due);
      const [began, handled] = [performance.now(), consumer.handled()];
      const sent = await countStatements(three, database, end);
      const ofBare = statementsOfBare * (consumer.handled() - handled);
      const statements = (sent - ofBare - idle * (performance.now() - began)) / due.runs;
      report(
        `${due.runs} runs of ${victims} victims, ${due.perSecond} a second, each`,
        rowsOf(three, costs.get(due)!, statements),
      );
    }
  } finally {
    consumer.stop();
    await Promise.all([database.end(), watch.stop()]);
    await system.stop();
  }
}

async function costOfEach(due: Due, runs: DrawnRuns, used: () => Promise<Cpu>): Promise<Cpu> {
  const calm = await used();
  await delay(calmMs);
  const idle = cpuSince(calm, await used());
  const end = await runs.set(due);
  const before = await used();
  const began = performance.now();
  await end();
  const all = cpuSince(before, await used());
  const share = (performance.now() - began) / calmMs;
  return new Map([...all].map(([name, sum]) => [name, (sum - (idle.get(name) ?? 0) * share) / due.runs]));
}

/** Sets clocks of queues whose work is drawn: each is to lose ten allocations. */
class DrawnRuns {
  private readonly next = numbers(2_463_534_242);
  private sets = 0;

  constructor(
    private readonly system: System,
    private readonly watch: TopicWatch,
    /** Whether the bare consumer has all events: what it still did would be taken for its idle rate. */
    private readonly isCounted: () => Promise<boolean>,
  ) {}

  /** @returns when all clocks are set; call the result to wait until all runs are satisfied, and the system is at rest. */
  async set({ runs, perSecond }: Due): Promise<() => Promise<void>> {
    const partition = `drawn-${++this.sets}`;
    const sizes = Array.from({ length: runs }, () => victims + 2 + this.next(2 ** this.next(7)));
    await this.place(partition, sizes);
    let dueMs = leadMs;
    const queues = sizes.map((size, i) => {
      dueMs += (-Math.log((1 + this.next(1000)) / 1001) * 1000) / perSecond;
      return {
        name: `q${i}`,
        resources: { max: { vcore: size - victims } },
        properties: { 'quota.preemption.delay': `${Math.round(dueMs)}ms` },
      };
    });
    const root = { name: 'root', queues };
    const began = performance.now();
    await submit(
      this.system,
      { partitions: [{ name: partition, preemption: { quotapreemptionenabled: true }, queues: [root] }] },
      partition,
    );
    await this.watch.until(catalog.EnforcementScheduled.type, runs, withinMs, partition);
    await delay(leadMs - settleMs - (performance.now() - began));
    return async () => {
      await this.watch.until(catalog.EnforcementReleased.type, runs, withinMs, partition);
      await this.watch.until(catalog.VictimEvicted.type, runs * victims, withinMs, partition);
      const evicted = this.watch.count(catalog.VictimEvicted.type, partition);
      if (evicted !== runs * victims) throw new Error(`${evicted} of ${runs * victims} victims were evicted`);
      while (!(await this.isCounted())) await delay(200);
      await delay(settleMs);
    };
  }

  /** Allocations of one core each and of heavy-tailed memory, in applications of heavy-tailed length. */
  private async place(partition: string, sizes: readonly number[]): Promise<void> {
    const { next } = this;
    const now = Date.now();
    const work = sizes.flatMap((size, i) => {
      const queue = `root.q${i}`;
      let application = '';
      let left = 0;
      return Array.from({ length: size }, (_, k) => {
        if (left-- === 0) {
          application = `app-${i}-${k}`;
          left = next(2 ** next(5));
        }
        return {
          id: `alloc-${i}-${k}`,
          application,
          queue,
          priority: next(4) * 10,
          resources: { vcore: 1000, memory: 2 ** (next(8) + 28) },
          startedAt: new Date(now - 1000 * 2 ** next(20)).toISOString(),
        };
      });
    });
    const applications = new Map(work.map(({ application: id, queue }) => [id, queue]));
    const connection = await openDatabase(this.system.databaseUrl, { poolSize: 1 });
    try {
      await place(connection, partition, {
        applications: [...applications].map(([id, queue]) => ({ id, queue, user: `user-${next(200)}` })),
        allocations: work,
      });
      await connection.query('ANALYZE simulated_applications, simulated_allocations');
    } finally {
      await connection.destroy();
    }
  }
}

function rowsOf({ kafka, redis, postgres }: Three, costs: readonly Cpu[], statements: number): Row[] {
  const median = (of: (cost: Cpu) => number) => quantile(costs.map(of), 0.5);
  const others: ReadonlySet<string> = new Set([
    kafka.name,
    redis.name,
    postgres.name,
    bare,
    transactions,
    ourself,
  ]);
  const names = [...costs[0]!.keys()].filter((name) => name !== ourself && name !== bare);
  const ofServices = (cost: Cpu) =>
    names.reduce((sum, name) => sum + (others.has(name) ? 0 : (cost.get(name) ?? 0)), 0);
  const ms = median(ofServices);
  const floor = (cost: Cpu) => cost.get(bare) ?? 0;
  return [
    {
      what: 'core time of all services',
      measured: `${ms.toFixed(1)} ms`,
      beside: `${median(floor).toFixed(1)} ms bare consumer`,
      ratio: median((cost) => ofServices(cost) / floor(cost)).toFixed(1),
      target: `<= ${targetMs} ms`,
      met: ms <= targetMs,
    },
    ...names.map((name) => ({
      what: `  ${name}`,
      measured: `${median((cost) => cost.get(name) ?? 0).toFixed(1)}${name === transactions ? '' : ' ms'}`,
    })),
    { what: '  statements', measured: statements.toFixed(1) },
  ];
}
