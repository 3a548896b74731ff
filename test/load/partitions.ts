import pg from 'pg';
import { catalog, topics } from '#contracts/events';
import { type Row, report } from '../../bench/report.js';
import { configuration, placeWork, submit } from '../../bench/service/load.js';
import type { Three } from '../../scripts/infra/index.js';
import { type Cpu, cpuOf, cpuRows, cpuSince } from './cpu.js';
import { progress } from './progress.js';
import type { Scale } from './scale.js';
import { type System, startSystem } from './system.js';
import { type TopicWatch, watchTopics } from './watch-topics.js';

const leadMs = 5000;
const idleMs = 20_000;
const endedWithinMs = 300_000;

/** Rows and bytes of each table, and what all of them come to. */
interface Stored {
  events: number;
  bytes: number;
  tables: ReadonlyMap<string, { rows: number; bytes: number }>;
}

/**
 * Measures what a partition costs: many partitions of a thousand queues each share one installation. First their configurations
 * come into force, then runs become due at a steady rate, spread over all partitions.
 */
export async function benchPartitions(three: Three, scale: Scale): Promise<void> {
  const system = await startSystem(three);
  const watch = await watchTopics(system, [topics.enforcement]);
  try {
    await measure(system, watch, scale);
  } finally {
    await watch.stop();
    await system.stop();
  }
}

async function measure(system: System, watch: TopicWatch, scale: Scale): Promise<void> {
  const { partitions, partitionQueues, partitionRuns, partitionRunsPerSecond: perSecond } = scale;
  const names = Array.from({ length: partitions }, (_, i) => `p${i}`);
  // The lowered queues are among those of the partition: the rest has clocks that stay far from due.
  const load = {
    pending: partitionQueues - partitionRuns,
    due: partitionRuns,
    perSecond: perSecond / partitions,
  };

  const empty = await stored(system);
  const began = performance.now();
  const cpuBefore = await cpuOf(system.pids);
  for (const [index, name] of names.entries()) {
    await placeWork(system, load, name);
    await submit(system, configuration({ ...load, leadMs }, false, name), name);
    progress(`partitions: ${index + 1} of ${partitions} are in force`);
  }
  const until = async (type: string, count: number) => {
    for (const name of names) await watch.until(type, count, endedWithinMs, name);
  };
  await until(catalog.EnforcementScheduled.type, load.pending);
  const configuredSeconds = (performance.now() - began) / 1000;
  const configuredCpu = cpuSince(cpuBefore, await cpuOf(system.pids));
  const configured = await stored(system);

  const quiet = await cpuOf(system.pids);
  await new Promise((resolve) => setTimeout(resolve, idleMs));
  const idle = cpuSince(quiet, await cpuOf(system.pids));

  const runs = partitions * partitionRuns;
  const runsBefore = await cpuOf(system.pids);
  for (const name of names) await submit(system, configuration({ ...load, leadMs }, true, name), name);
  await until(catalog.EnforcementReleased.type, partitionRuns);
  const runsCpu = cpuSince(runsBefore, await cpuOf(system.pids));
  const after = await stored(system);

  report(`${partitions} partitions of ${partitionQueues} queues in one installation`, [
    {
      what: 'all configurations in force, and their clocks set',
      measured: `${configuredSeconds.toFixed(1)} s`,
    },
    ...growth('for each partition configured', empty, configured, partitions),
    ...cpuRows('for each partition configured', configuredCpu, partitions),
    ...cpuRows('each second with nothing to do', perSecondOf(idle), 1),
    ...growth('for 1,000 runs', configured, after, runs / 1000),
    ...cpuRows('for each run', runsCpu, runs),
  ]);
}

const perSecondOf = (cpu: Cpu): Cpu =>
  new Map([...cpu].map(([name, used]) => [name, used / (idleMs / 1000)]));

async function stored({ databaseUrl }: System): Promise<Stored> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('ANALYZE');
    const { rows } = await client.query<{ name: string; rows: string; bytes: string }>(
      `SELECT coalesce(i.inhparent::regclass::text, c.oid::regclass::text) AS name,
              sum(greatest(c.reltuples, 0))::bigint AS rows, sum(pg_total_relation_size(c.oid))::bigint AS bytes
       FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
       WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND c.relname NOT LIKE 'simulated%'
       GROUP BY 1`,
    );
    const tables = new Map(
      rows.map(({ name, rows, bytes }) => [name, { rows: Number(rows), bytes: Number(bytes) }]),
    );
    const bytes = [...tables.values()].reduce((sum, table) => sum + table.bytes, 0);
    return { events: tables.get('events')?.rows ?? 0, bytes, tables };
  } finally {
    await client.end();
  }
}

/** The growth of the database, and the tables that grew most. */
function growth(what: string, before: Stored, after: Stored, by: number): Row[] {
  const each = (amount: number) => (amount / by).toFixed(0);
  const kilobytes = (amount: number) => `${(amount / by / 1000).toFixed(0)} kB`;
  const largest = [...after.tables]
    .map(([name, { rows, bytes }]) => ({
      name,
      rows: rows - (before.tables.get(name)?.rows ?? 0),
      bytes: bytes - (before.tables.get(name)?.bytes ?? 0),
    }))
    .sort((a, b) => b.bytes - a.bytes)
    .slice(0, 6);
  return [
    {
      what: `events and bytes ${what}`,
      measured: `${each(after.events - before.events)}, ${kilobytes(after.bytes - before.bytes)}`,
    },
    ...largest.map(({ name, rows, bytes }) => ({
      what: `  ${name}`,
      measured: `${each(rows)}, ${kilobytes(bytes)}`,
    })),
  ];
}
