import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openDatabase } from '#event-store';
import { seconds } from '../../bench/measure.js';
import { peakMemory, startProgram } from '../../bench/processes.js';
import { count, type Row, report } from '../../bench/report.js';
import { timesOf } from '../../bench/service/due.js';
import { fillLargeQueue, largeConfiguration, submit } from '../../bench/service/load.js';
import { root } from '../../scripts/infra/folders.js';
import type { Three } from '../../scripts/infra/index.js';
import { progress } from './progress.js';
import type { Scale } from './scale.js';
import { type System, servicesOf, startSystem } from './system.js';

const megabyte = 2 ** 20;
const mostMegabytes = 4096;
const heapMegabytes = 3072;
/** Of the first run. */
const shortDelayMs = 3000;
/** Planners read very large queues ahead; real delays are minutes. */
const delayMs = 45_000;
const checkMs = 2000;
const silentMs = 300_000;
/** Evictions that take longer are not waited for. */
const mostMs = 900_000;

/** A run as the console shows it. */
interface Run {
  enforcement: string;
  state: string;
  outcome: string | null;
  victims: number;
  evicted: number;
  message: string | null;
}

/**
 * One run that takes a tenth of a very large queue, through every service with its own heap limit: planned, approved, carried out,
 * shown. The result has the times of each step and the most memory that each service ever had.
 */
export async function benchLarge(three: Three, { largest }: Scale): Promise<void> {
  const system = await startSystem(three, {
    environment: {
      NODE_OPTIONS: `--max-old-space-size=${heapMegabytes}`,
      CURTAIL_VICTIMS_PER_SECOND: '10000',
    },
  });
  try {
    const rows: Row[] = [];
    await measure(system, largest, rows).catch((error: Error) =>
      progress(`large: it was not measured to the end: ${error.message}`),
    );
    rows.push(...(await memoryRows(system)));
    report(`One run with ${count(largest / 10)} victims among ${count(largest)} allocations`, rows);
  } finally {
    await system.stop();
  }
}

async function measure(system: System, largest: number, rows: Row[]): Promise<void> {
  const timed = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    const began = performance.now();
    const result = await work();
    const measured = seconds(performance.now() - began);
    progress(`large: ${what}: ${measured}`);
    rows.push({ what, measured });
    return result;
  };
  await timed('the cluster filled', () => fillLargeQueue(system, { allocations: largest, queues: 100 }));
  await submit(system, largeConfiguration(largest, shortDelayMs));
  await timed('the first, unlimited run over', () =>
    untilRun(system, ({ state }) => ['ended', 'cancelled'].includes(state)),
  );
  await submit(system, largeConfiguration(largest * 0.9, delayMs));
  const planned = await timed(`lowered to planned, ${delayMs / 1000} s of delay included`, () =>
    untilRun(system, ({ state, victims }) => victims > 0 && state !== 'planned' && state !== 'planning'),
  );
  rows.push(await planRow(system, planned.enforcement));
  await timed('curtail explain, as a table to a pipe', () => explain(system, planned.enforcement));
  const began = performance.now();
  await fetch(`${system.consoleUrl}/v1/enforcements/${planned.enforcement}/approve`, { method: 'POST' });
  const ended = await timed('approved to ended', () => untilRun(system, ({ state }) => state === 'ended'));
  const perSecond = (ended.evicted * 1000) / (performance.now() - began);
  rows.push({
    what: `evicted of ${count(ended.victims)}: ${ended.outcome ?? ended.state}`,
    measured: `${count(ended.evicted)}, ${perSecond.toFixed(0)}/s`,
    target: '>= 200/s',
    met: ended.evicted === ended.victims && perSecond >= 200,
  });
  await timed('curtail explain, as a table to a pipe, afterwards', () => explain(system, ended.enforcement));
}

async function planRow({ databaseUrl }: System, enforcement: string): Promise<Row> {
  const database = await openDatabase(databaseUrl, { poolSize: 1 });
  const { toPlan } = await timesOf(database, enforcement).finally(() => database.destroy());
  return {
    what: 'due to the plan',
    measured: seconds(toPlan),
    target: '<= 12 s',
    met: toPlan <= 12_000,
  };
}

/** Waits until the latest run has reached it, and reports the progress. Gives up on a run that no longer changes. */
async function untilRun({ consoleUrl }: System, isThere: (run: Run) => boolean): Promise<Run> {
  let before = '';
  const began = performance.now();
  for (let changedAt = began; performance.now() - changedAt < silentMs; await delay(checkMs)) {
    const response = await fetch(`${consoleUrl}/v1/enforcements?limit=1`);
    const { items } = (await response.json()) as { items: Run[] };
    const [run] = items;
    if (!run) continue;
    if (isThere(run) || performance.now() - began > mostMs) return run;
    const now = `${run.enforcement} ${run.state}, ${run.evicted} of ${run.victims}${run.message ? `: ${run.message}` : ''}`;
    if (now !== before) {
      progress(`large: ${now}`);
      [before, changedAt] = [now, performance.now()];
    }
  }
  throw new Error(`nothing changed for ${silentMs / 1000} s: ${before}`);
}

async function explain({ consoleUrl }: System, enforcement: string): Promise<void> {
  const words = [
    'bin/curtail.mjs',
    'explain',
    'enforcement',
    enforcement,
    '-o',
    'table',
    '--server',
    consoleUrl,
  ];
  await startProgram([join(root, words[0]!), ...words.slice(1)]).ended.catch((error: Error) =>
    progress(`large: ${error.message.slice(-500)}`),
  );
}

async function memoryRows({ pids }: System): Promise<Row[]> {
  const peaks = await Promise.all(
    servicesOf(pids).map(async ([name, pid]) => ({ name, peak: await peakMemory(pid) })),
  );
  return peaks.map(({ name, peak }) => ({
    what: `most memory: ${name}`,
    measured: peak === undefined ? 'it ended' : `${(peak / megabyte).toFixed(0)} MB`,
    target: `<= ${mostMegabytes} MB`,
    met: peak !== undefined && peak / megabyte <= mostMegabytes,
  }));
}
