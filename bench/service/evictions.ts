import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { openDatabase } from '#event-store';
import { seconds } from '../measure.js';
import { cpuSeconds } from '../processes.js';
import { count, ratio, report } from '../report.js';
import { withFolder } from '../temporary-folder.js';
import { type Application, startApplication } from './application.js';
import { fillLargeQueue, largeConfiguration, submit } from './load.js';

const rounds = 3;
const delayMs = 1000;
/** A page of the executor, which the bare client commits at once, too. */
const page = 64;
const mostMs = 600_000;
const sampleEveryMs = 50;

/** A run, by the size of its queue and of its plan. */
interface Size {
  allocations: number;
  victims: number;
}

interface Cpu {
  process: number;
  database: number;
}

interface Round {
  /** Due time to the commit of the plan. */
  toPlan: number;
  /** Commit of the plan to the last eviction. */
  evicting: number;
  /** By how much the read model trails while the run continues, at most. */
  trails: number;
  /** Last eviction to the read model that shows it. */
  shown: number;
  bare: number;
  cpu: Cpu | undefined;
}

const few: Size = { allocations: 25_000, victims: 10_000 };
const many: Size = { allocations: 100_000, victims: 40_000 };

const noLimits = {
  CURTAIL_VICTIMS_PER_SECOND: '10000',
  CURTAIL_APPROVE_ABOVE_VICTIMS: '1000000',
  CURTAIL_APPROVE_ABOVE_PERCENT: '100',
};
const variant = 'dist/bench/service/variant-program.js';

/**
 * One run that takes a share of a large queue in one process, on its embedded, durable PostgreSQL, without a limit of its rate:
 * from its due time to the plan, and from the plan to the last eviction. On the simulated cluster, beside a bare client that marks as many rows
 * of the same table as leaving, in pages of the same size; and on the inventory driver, with a platform that answers at once.
 */
export async function benchEvictions(): Promise<void> {
  const simulated = await best(few, onSimulated);
  reportRun('on the simulated cluster', few, simulated, 500);
  const larger = await best(many, onSimulated);
  reportRun('on the simulated cluster', many, larger, 500);
  reportRatio('on the simulated cluster', simulated, larger);
  const inventory = await best(few, onInventory);
  reportRun('on the inventory driver', few, inventory, 300);
  reportRatio('on the inventory driver', inventory, await best(many, onInventory));
  await benchReadModel(simulated);
}

/** The cost of a run with and without the read model. */
async function benchReadModel(whole: Round): Promise<void> {
  const without = await best(few, (size) =>
    onSimulated(size, { main: variant, environment: { CURTAIL_BENCH_READ_MODEL: 'no' } }),
  );
  if (!whole.cpu || !without.cpu) return;
  const [all, rest] = [whole.cpu, without.cpu].map(({ process, database }) => process + database) as [
    number,
    number,
  ];
  report('The read model of a run', [
    {
      what: `share of the CPU of ${count(few.victims)} evictions, process and database`,
      measured: `${((1 - rest / all) * 100).toFixed(0)} %`,
      beside: seconds(all * 1000),
      target: '<= 10 %',
      met: rest >= 0.9 * all,
    },
  ]);
}

async function best(size: Size, measured: (size: Size) => Promise<Round>): Promise<Round> {
  const all: Round[] = [];
  for (let round = 0; round < rounds; round++) all.push(await measured(size));
  return all.toSorted((a, b) => a.evicting - b.evicting)[0]!;
}

function onSimulated(
  size: Size,
  { main, environment = {} }: { main?: string; environment?: Record<string, string> } = {},
): Promise<Round> {
  return withFolder(async (folder) => {
    const application = await startApplication(folder, { ...noLimits, ...environment }, main);
    return measure(application, size, {
      fill: () => fillLargeQueue(application, { allocations: size.allocations, queues: 1000 }),
      isShown: environment.CURTAIL_BENCH_READ_MODEL !== 'no',
      hasBare: true,
    }).finally(() => application.stop());
  });
}

function onInventory(size: Size): Promise<Round> {
  return withFolder(async (folder) => {
    const environment = { ...noLimits, CURTAIL_BENCH_ALLOCATIONS: String(size.allocations) };
    const application = await startApplication(folder, environment, variant);
    return measure(application, size, {
      fill: (database) => untilListed(database, size.allocations),
      isShown: true,
      hasBare: false,
    }).finally(() => application.stop());
  });
}

async function measure(
  application: Application,
  { allocations, victims }: Size,
  {
    fill,
    isShown,
    hasBare,
  }: { fill: (database: DataSource) => Promise<void>; isShown: boolean; hasBare: boolean },
): Promise<Round> {
  const database = await openDatabase(application.databaseUrl, { poolSize: 2 });
  try {
    await fill(database);
    await submit(application, largeConfiguration(allocations, delayMs));
    await submit(application, largeConfiguration(allocations - victims, delayMs));
    await untilVictims(database, 'planned');
    const before = await cpuSeconds(application.pid, application.databasePid);
    const samples = isShown ? sampleShown(database) : undefined;
    await untilVictims(database, 'gone');
    const after = await cpuSeconds(application.pid, application.databasePid);
    const endSeen = performance.now();
    if (isShown) await untilShown(application, victims);
    const shown = performance.now() - endSeen;
    const times = await timesOf(database);
    return {
      ...times,
      trails: samples === undefined ? 0 : trailOf(await samples.stop(), await evictedAt(database)),
      shown,
      bare: hasBare ? await bareClient(database, victims) : Number.NaN,
      cpu: before &&
        after && { process: after.process - before.process, database: after.database - before.database },
    };
  } finally {
    await database.destroy();
  }
}

async function untilListed(database: DataSource, allocations: number): Promise<void> {
  for (const began = performance.now(); performance.now() - began < mostMs; await delay(100)) {
    const [row] = await database.query<{ count: number }[]>(
      `SELECT count(*)::int AS count FROM inventory_allocations JOIN inventory_partitions USING (partition) WHERE listed_at IS NOT NULL`,
    );
    if (row!.count < allocations) continue;
    await database.query('ANALYZE inventory_allocations, inventory_applications, inventory_usage');
    return;
  }
  throw new Error(`the listing was not taken within ${seconds(mostMs)}`);
}

/** The state of the read model at a moment, by the clock of the database. */
interface Sample {
  at: number;
  evicted: number;
}

function sampleShown(database: DataSource): { stop(): Promise<Sample[]> } {
  let isOver = false;
  const samples: Sample[] = [];
  const sampling = (async () => {
    for (; !isOver; await delay(sampleEveryMs)) {
      const rows = await database.query<Sample[]>(
        `SELECT date_part('epoch', clock_timestamp()) * 1000 AS at, evicted FROM read_runs WHERE victims > 0`,
      );
      samples.push(...rows);
    }
    return samples;
  })();
  return {
    stop: () => {
      isOver = true;
      return sampling;
    },
  };
}

async function evictedAt(database: DataSource): Promise<number[]> {
  const rows = await database.query<{ at: number }[]>(
    `SELECT date_part('epoch', time) * 1000 AS at FROM events WHERE type = 'io.curtail.victim.evicted.v1' ORDER BY time`,
  );
  return rows.map(({ at }) => at);
}

/** The greatest age, at a sample, of an eviction that it did not show. */
function trailOf(samples: readonly Sample[], evicted: readonly number[]): number {
  return Math.max(0, ...samples.map(({ at, evicted: shown }) => at - (evicted[shown] ?? at)));
}

/**
 * Of the run with victims: the first configuration enforces a quota that nothing exceeds. The planned victims of a run stand in their table
 * until it ends; to look for its events would take longer with each of them, on the same server.
 */
async function untilVictims(database: DataSource, are: 'planned' | 'gone'): Promise<void> {
  for (const began = performance.now(); performance.now() - began < mostMs; await delay(50)) {
    const [row] = await database.query<{ planned: boolean }[]>(
      'SELECT EXISTS (SELECT FROM planned_victims) AS planned',
    );
    if (row!.planned === (are === 'planned')) return;
  }
  throw new Error(`no victims are ${are} within ${seconds(mostMs)}`);
}

async function untilShown({ url }: Application, victims: number): Promise<void> {
  const began = performance.now();
  for (; performance.now() - began < mostMs; await delay(20)) {
    const response = await fetch(`${url}/v1/enforcements?limit=1`);
    const { items } = (await response.json()) as { items: { evicted: number; state: string }[] };
    if (items[0]?.evicted === victims && items[0].state === 'ended') return;
  }
  throw new Error(`the read model does not show ${victims} evictions within ${seconds(mostMs)}`);
}

/** A long plan is stored packed; its short fields are in `outline`. */
async function timesOf(database: DataSource): Promise<{ toPlan: number; evicting: number }> {
  const [row] = await database.query<{ toPlan: number; evicting: number }[]>(
    `SELECT date_part('epoch', planned.time - (started.data ->> 'dueAt')::timestamptz) * 1000 AS "toPlan",
            date_part('epoch', (SELECT max(time) FROM events WHERE type = 'io.curtail.victim.evicted.v1') - planned.time) * 1000 AS evicting
     FROM events opened
     JOIN events started ON started.type = 'io.curtail.enforcement.started.v1'
       AND started.data ->> 'enforcement' = opened.data ->> 'enforcement'
     JOIN events planned ON planned.type = 'io.curtail.plan.computed.v1'
       AND coalesce(planned.data, planned.outline) ->> 'enforcement' = opened.data ->> 'enforcement'
     WHERE opened.type = 'io.curtail.enforcement.opened.v1'`,
  );
  if (!row) throw new Error('the log has no run with a plan');
  return row;
}

/** Marks as many allocations that still run, and writes the history of it. */
async function bareClient(database: DataSource, victims: number): Promise<number> {
  const rows = await database.query<{ id: string }[]>(
    "SELECT id FROM simulated_allocations WHERE state = 'running' LIMIT $1",
    [victims],
  );
  const began = performance.now();
  for (let from = 0; from < rows.length; from += page) {
    const ids = rows.slice(from, from + page).map(({ id }) => id);
    await database.transaction((tx) =>
      tx.query(
        `WITH killed AS (
           UPDATE simulated_allocations SET state = 'releasing', eviction_id = 'bare-' || id, gone_at = now() + interval '1 hour'
           WHERE partition = 'default' AND id = ANY ($1) RETURNING *
         )
         INSERT INTO simulated_evictions (partition, allocation, uid, queue, resources, eviction_id, at)
         SELECT partition, id, uid, queue, resources, eviction_id, now() FROM killed`,
        [ids],
      ),
    );
  }
  return ((performance.now() - began) * victims) / rows.length;
}

function reportRun(
  where: string,
  { victims, allocations }: Size,
  { toPlan, evicting, trails, shown, bare, cpu }: Round,
  atLeast: number,
): void {
  const perSecond = (ms: number) => `${seconds(ms)}, ${((victims * 1000) / ms).toFixed(0)}/s`;
  const title = `One run ${where}, ${count(victims)} victims among ${count(allocations)} allocations, best of ${rounds} rounds`;
  report(title, [
    { what: 'due to the recorded plan', measured: seconds(toPlan) },
    {
      what: 'from the plan to the last eviction',
      measured: perSecond(evicting),
      ...(Number.isNaN(bare) ? {} : { beside: perSecond(bare), ratio: ratio(evicting, bare) }),
      target: `>= ${atLeast}/s`,
      met: (victims * 1000) / evicting >= atLeast,
    },
    {
      what: 'the read model trails, at most',
      measured: seconds(trails),
      target: '<= 1 s',
      met: trails <= 1000,
    },
    {
      what: 'the last eviction to the read model',
      measured: seconds(shown),
      target: '<= 1 s',
      met: shown <= 1000,
    },
    ...(cpu
      ? [
          {
            what: 'time of a core for each 1,000: process, database',
            measured: [cpu.process, cpu.database].map((of) => seconds((of * 1_000_000) / victims)).join(', '),
          },
        ]
      : []),
  ]);
}

function reportRatio(where: string, { evicting: few }: Round, { evicting: many }: Round): void {
  report(`Four times as many victims ${where}`, [
    {
      what: 'from the plan to the last eviction',
      measured: seconds(many),
      beside: seconds(few),
      ratio: ratio(many, few),
      target: '<= 4.4',
      met: many <= 4.4 * few,
    },
  ]);
}
