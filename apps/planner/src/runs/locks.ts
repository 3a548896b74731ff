import type { DataSource } from 'typeorm';
import type { EventData } from '#contracts';
import { catalog } from '#contracts/events';
import { type Mode, modeInForce } from '#enforcement';
import { type KnownEvent, planStream, runStream, type Tx } from '#event-store';
import { MODE_OF } from '#holds';
import { EventNotReady } from '#messaging';
import type { PlannerSettings } from '../settings/planner-settings.js';

export type StartedRun = KnownEvent<'EnforcementStarted'>;

/** $1 runs, $2 partitions, $3 queues, $4 tokens. One row for each run, in their order. */
const LOCKS = `
  SELECT EXISTS (SELECT FROM clocks s
                 WHERE s.running_enforcement = run.enforcement AND s.fencing_token = run.token) AS holds,
         ${MODE_OF('run.partition')} AS mode,
         ARRAY(SELECT s.running_enforcement FROM clocks s
               WHERE s.partition = run.partition AND s.running_enforcement IS NOT NULL AND s.fencing_token < run.token
                 AND s.queue > run.queue || '.' AND s.queue < run.queue || '/'
                 AND NOT EXISTS (SELECT 1 FROM events e WHERE e.stream = 'plan-' || s.running_enforcement)) AS unplanned
  FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[])
    WITH ORDINALITY AS run (enforcement, partition, queue, token, nr)
  ORDER BY nr`;

/**
 * The runs that hold the lock of their queue, in their order, and the modes of their partitions.
 *
 * @throws EventNotReady while a run that fired earlier below the queue of one of them has no plan yet.
 */
export async function locksOf(
  db: Pick<Tx, 'query'>,
  all: readonly StartedRun[],
  settings: PlannerSettings,
): Promise<{ started: StartedRun[]; modes: Map<string, Mode> }> {
  const rows = await db.query<{ holds: boolean; mode: Mode | null; unplanned: string[] }[]>(LOCKS, [
    all.map(({ data }) => data.enforcement),
    all.map(({ data }) => data.partition),
    all.map(({ data }) => data.queue),
    all.map(({ data }) => data.fencingToken),
  ]);
  const started = all.filter((_, i) => rows[i]!.holds);
  const batch = new Set(started.map(({ data }) => data.enforcement));
  for (const [i, { data }] of all.entries()) {
    const missing = rows[i]!.holds && rows[i]!.unplanned.find((enforcement) => !batch.has(enforcement));
    if (missing)
      throw new EventNotReady(`${data.queue} is planned after the runs below it: ${missing} has no plan yet`);
  }
  const modes = new Map(
    all.map(({ data }, i) => [data.partition, modeInForce(rows[i]!.mode, settings).mode]),
  );
  return { started, modes };
}

/** The runs that hold the lock of their queue, by its fencing token, in their order. */
export async function holdingLocks(tx: Tx, started: readonly StartedRun[]): Promise<StartedRun[]> {
  if (started.length === 0) return [];
  const rows = await tx.query<{ enforcement: string; token: string }[]>(
    `SELECT running_enforcement AS enforcement, fencing_token AS token FROM clocks
     WHERE running_enforcement = ANY ($1::text[])`,
    [started.map(({ data }) => data.enforcement)],
  );
  const tokens = new Map(rows.map(({ enforcement, token }) => [enforcement, Number(token)]));
  return started.filter(({ data }) => tokens.get(data.enforcement) === data.fencingToken);
}

/** More are no exceptions any more: the plan takes the first of them. */
const mostAvoided = 1000;

/** Reads the trigger of a plan and not its victims, of which there may be many. */
const FAILED = `
  SELECT ARRAY(SELECT data ->> 'allocation' FROM events WHERE stream = $1 AND type = $2 ORDER BY version LIMIT $5) AS failed,
         (SELECT data -> 'trigger' -> 'avoid' FROM events WHERE stream = $3 AND type = $4 AND data IS NOT NULL) AS avoided`;

/**
 * The allocations whose evictions failed in the run that this one follows, and those that that run left out for the same reason. They are
 * left out as long as there are others to take (docs/reference/policies/quota-decrease.md §3.12).
 */
export async function failedBefore(
  db: DataSource,
  { unblocked }: Pick<EventData<'EnforcementStarted'>, 'unblocked'>,
): Promise<string[]> {
  if (!unblocked) return [];
  const [row] = await db.query<{ failed: string[]; avoided: string[] | null }[]>(FAILED, [
    ...[runStream(unblocked.after), catalog.VictimFailed.type],
    ...[planStream(unblocked.after), catalog.PlanComputed.type, mostAvoided],
  ]);
  return [...new Set([...(row?.failed ?? []), ...(row?.avoided ?? [])])].slice(0, mostAvoided);
}

/** Whether the plan of a run is recorded, or its failure. */
export async function isPlanned(tx: Tx, enforcement: string): Promise<boolean> {
  const rows = await tx.query<unknown[]>('SELECT FROM events WHERE stream = $1 LIMIT 1', [
    planStream(enforcement),
  ]);
  return rows.length > 0;
}
