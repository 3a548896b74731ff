import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { catalog, topics } from '#contracts/events';
import { seconds } from '../../bench/measure.js';
import { count, type Row, report } from '../../bench/report.js';
import { configuration, placeWork, submit } from '../../bench/service/load.js';
import type { Three } from '../../scripts/infra/index.js';
import { type Cpu, cpuOf, cpuRows, cpuSince } from './cpu.js';
import { progress } from './progress.js';
import { type RunTimes, readRuns } from './run-times.js';
import type { Scale } from './scale.js';
import { type System, startSystem } from './system.js';
import { watchTopics } from './watch-topics.js';

const targetMs = 1500;
const leadMs = 15_000;
const checkMs = 10;

interface Round {
  runs: RunTimes[];
  /** From the due time until all starts stood in the database, in milliseconds. */
  committed: number;
  /** Started, and seen so on Kafka. */
  seen: number;
  cpu: Cpu;
  due: number;
}

/** Measures how long it takes until the last of many runs has started that are due at one instant. None evicts anything. */
export async function benchBurst(three: Three, { rounds, burst }: Scale): Promise<void> {
  let best: Round | undefined;
  for (let round = 1; round <= rounds; round++) {
    const system = await startSystem(three, { environment: { CURTAIL_MODE: 'observe' } });
    const measured = await measure(system, burst).finally(() => system.stop());
    progress(
      `burst: round ${round} of ${rounds}: the last of ${burst} started ${seconds(measured.committed)} late`,
    );
    if (!best || measured.committed < best.committed) best = measured;
  }
  const title = `${count(burst)} timers due at one instant, best of ${rounds} rounds`;
  if (best) report(title, rowsOf(best));
}

async function measure(system: System, due: number): Promise<Round> {
  const watch = await watchTopics(system, [topics.enforcement]);
  try {
    const load = { pending: 0, due, perSecond: Number.POSITIVE_INFINITY, leadMs };
    await placeWork(system, load);
    await submit(system, configuration(load, true));
    await watch.until(catalog.EnforcementScheduled.type, due, 120_000);
    const before = await cpuOf(system.pids);
    const committedAt = await untilNoClockRuns(system);
    await watch.until(catalog.EnforcementStarted.type, due, 120_000);
    const cpu = cpuSince(before, await cpuOf(system.pids));
    const seen = watch.seen(catalog.EnforcementStarted.type);
    const runs = await readRuns(system, seen);
    return {
      runs,
      committed: committedAt - Math.max(...runs.map((run) => run.dueAt)),
      seen: watch.count(catalog.EnforcementStarted.type),
      cpu,
      due,
    };
  } finally {
    await watch.stop();
  }
}

/** A clock goes in the transaction that starts its run. */
async function untilNoClockRuns({ databaseUrl }: System): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (const until = Date.now() + 120_000; Date.now() < until; await delay(checkMs)) {
      const { rows } = await client.query({
        name: 'clocks',
        text: "SELECT EXISTS (SELECT FROM timers WHERE kind = 'quota-decrease') AS run",
      });
      if (!rows[0].run) return Date.now();
    }
    throw new Error('not all runs were started within two minutes');
  } finally {
    await client.end();
  }
}

function rowsOf({ runs, committed, seen, cpu, due }: Round): Row[] {
  const started = runs.map((run) => run.started);
  const queues = new Set(runs.map((run) => run.queue)).size;
  const [lost, doubled] = [due - queues, runs.length - queues];
  return [
    {
      what: 'the last EnforcementStarted, committed',
      measured: seconds(committed),
      target: `<= ${seconds(targetMs)}`,
      met: committed <= targetMs,
    },
    { what: '  the last one, as it says', measured: seconds(Math.max(...started)) },
    { what: '  the last one, seen on Kafka', measured: seconds(Math.max(...runs.map((run) => run.seen))) },
    {
      what: 'lost, doubled, early',
      measured: `${lost}, ${doubled}, ${started.filter((ms) => ms < 0).length}`,
      target: '0, 0, 0',
      met: lost === 0 && doubled === 0 && Math.min(...started) >= 0,
    },
    { what: 'messages on Kafka', measured: count(seen) },
    ...cpuRows('for each start', cpu, due),
  ];
}
