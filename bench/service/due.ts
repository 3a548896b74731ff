import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { openDatabase } from '#event-store';
import { seconds } from '../measure.js';
import { cpuSeconds, peakMemory } from '../processes.js';
import { count, type Row, report } from '../report.js';
import { withFolder } from '../temporary-folder.js';
import { type Application, startApplication } from './application.js';
import { fillLargeQueue, largeConfiguration, submit } from './load.js';

const rounds = 3;
/** The planner reads ahead of clocks that are due in some seconds; real delays are minutes. */
const delayMs = 6000;
const mostMs = 300_000;
const megabyte = 2 ** 20;

/** The plan of a run, in milliseconds. */
export interface TimedPlan {
  /** Due time to the commit of the plan. */
  toPlan: number;
  /** From due time to the start of the run on record. */
  toStart: number;
  planSeconds: number;
  victims: number;
}

interface Round extends TimedPlan {
  /** Seconds of a core from shortly before the due time to the commit. */
  cpu: { process: number; database: number } | undefined;
  peak: number | undefined;
}

/**
 * From due to the recorded plan, in one process on its embedded, durable PostgreSQL: one run that takes four tenths of a large queue, as the
 * first run of a process that has just started. Evictions wait for an approval, so that none of them is measured.
 */
export async function benchDue(): Promise<void> {
  const allocations = 100_000;
  const all: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    all.push(
      await withFolder(async (folder) => {
        const application = await startApplication(folder, { CURTAIL_APPROVE_ABOVE_VICTIMS: '1' });
        return measure(application, allocations).finally(() => application.stop());
      }),
    );
  }
  report(
    `Due to the recorded plan, one process, ${count(allocations)} allocations, best of ${rounds} rounds`,
    rowsOf(all.toSorted((a, b) => a.toPlan - b.toPlan)[0]!),
  );
}

async function measure(application: Application, allocations: number): Promise<Round> {
  const { pid, databasePid } = application;
  let before: Awaited<ReturnType<typeof cpuSeconds>>;
  let after: Awaited<ReturnType<typeof cpuSeconds>>;
  const plan = await timePlan(application, allocations, {
    beforeDue: async () => {
      before = await cpuSeconds(pid, databasePid);
    },
    planned: async () => {
      after = await cpuSeconds(pid, databasePid);
    },
  });
  const cpu = before &&
    after && { process: after.process - before.process, database: after.database - before.database };
  return { ...plan, cpu, peak: await peakMemory(pid) };
}

/** Fills the large queue, lowers its quota by four tenths, and waits for the plan. */
export async function timePlan(
  system: { url: string; databaseUrl: string },
  allocations: number,
  on: { beforeDue?: () => Promise<void>; planned?: () => Promise<void> } = {},
): Promise<TimedPlan> {
  const database = await openDatabase(system.databaseUrl, { poolSize: 1 });
  try {
    await fillLargeQueue(system, { allocations, queues: 1000 });
    await submit(system, largeConfiguration(allocations, delayMs));
    await submit(system, largeConfiguration(allocations * 0.6, delayMs));
    await delay(delayMs - 200);
    await on.beforeDue?.();
    const { enforcement, seenAt } = await untilPlanned(database);
    await on.planned?.();
    const { plannedAt, ...plan } = await timesOf(database, enforcement);
    return { ...plan, toPlan: plan.toPlan + (seenAt - plannedAt) };
  } finally {
    await database.destroy();
  }
}

/** Waits for the commit of the plan; looking for it must cost little. @returns when it was seen, by the clock of the database. */
async function untilPlanned(database: DataSource): Promise<{ enforcement: string; seenAt: number }> {
  const began = performance.now();
  for (; performance.now() - began < mostMs; await delay(5)) {
    const [found] = await database.query<{ enforcement: string; seenAt: number }[]>(
      `SELECT substr(stream, 6) AS enforcement, date_part('epoch', clock_timestamp()) * 1000 AS "seenAt" FROM stream_heads
       WHERE stream LIKE 'plan-%' LIMIT 1`,
    );
    if (found) return found;
  }
  throw new Error(`no plan within ${seconds(mostMs)}`);
}

/** `toPlan` is the time of the event. */
export async function timesOf(
  database: DataSource,
  enforcement: string,
): Promise<TimedPlan & { plannedAt: number }> {
  const [row] = await database.query<(TimedPlan & { plannedAt: number })[]>(
    `SELECT date_part('epoch', planned.time - (started.data ->> 'dueAt')::timestamptz) * 1000 AS "toPlan",
              date_part('epoch', started.time - (started.data ->> 'dueAt')::timestamptz) * 1000 AS "toStart",
              date_part('epoch', planned.time) * 1000 AS "plannedAt",
              (coalesce(planned.data, planned.outline) ->> 'planSeconds')::float8 AS "planSeconds",
              (SELECT count(*)::int FROM planned_victims WHERE enforcement = $1) AS victims
       FROM events planned JOIN events started ON started.type = 'io.curtail.enforcement.started.v1'
         AND started.data ->> 'enforcement' = $1
       WHERE planned.stream = 'plan-' || $1`,
    [enforcement],
  );
  return row!;
}

/** @param withinMs the target. */
export function rowsOfPlan({ toPlan, toStart, planSeconds, victims }: TimedPlan, withinMs: number): Row[] {
  return [
    {
      what: `due to the commit of the plan, ${count(victims)} victims`,
      measured: seconds(toPlan),
      target: `<= ${withinMs / 1000} s`,
      met: toPlan <= withinMs,
    },
    { what: '… of it to the start of the run', measured: seconds(toStart) },
    { what: '… of it the planner', measured: seconds(planSeconds * 1000) },
  ];
}

function rowsOf({ cpu, peak, ...plan }: Round): Row[] {
  return [
    ...rowsOfPlan(plan, 1000),
    ...(cpu
      ? [
          {
            what: 'time of a core: process, database',
            measured: [cpu.process, cpu.database].map((ofWhat) => seconds(ofWhat * 1000)).join(', '),
          },
        ]
      : []),
    ...(peak === undefined
      ? []
      : [{ what: 'most memory of the process', measured: `${(peak / megabyte).toFixed(0)} MB` }]),
  ];
}
