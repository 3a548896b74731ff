import type { DataSource } from 'typeorm';
import { possiblyEvictedCodes } from '#contracts';
import { typesOf } from '#contracts/events';
import { eventById, leaseUntil, OUTLINE, runStream, type Tx } from '#event-store';
import { plannedToRecent } from './victim-tables.js';

/*
 * A row of `runs` is an open run, as work to be done: it has the time of its next step, and at most one process
 * holds it, for as long as its hold is renewed.
 */

/** A run that has not ended. */
export interface OpenRun {
  enforcement: string;
  partition: string;
  queue: string;
  fencingToken: number;
}

/** A run that a process holds. */
export interface HeldRun extends OpenRun {
  /** The number of processes in a row that held it before and crashed without recording an event of it. */
  deaths: number;
}

/** The claimed runs, and the time until the next step of any other run in milliseconds; undefined if there is none. */
export interface Claim {
  runs: HeldRun[];
  nextDueInMs: number | undefined;
}

type ClaimRow =
  | { enforcement: string; partition: string; queue: string; fencing_token: string; deaths: number; ms: null }
  | { enforcement: null; ms: number | null };

const lengthOfStream = `coalesce((SELECT version FROM stream_heads WHERE stream = '${runStream('')}' || enforcement), 0)`;

/** A run to add, and the version of the configuration that causes it, where that is known. */
export type NewRun = OpenRun & { configuration?: number | undefined };

/**
 * Adds runs; their first steps are due at once. A run that exists already stays as it is.
 *
 * @param hold of the process that carries them out as soon as the transaction has committed; absent: any process claims them.
 * @returns the runs that it holds then.
 */
export async function addRuns(
  tx: Tx,
  runs: readonly NewRun[],
  hold?: { owner: string; holdMs: number },
): Promise<HeldRun[]> {
  if (runs.length === 0) return [];
  const added = await tx.query<{ enforcement: string }[]>(
    `INSERT INTO runs AS e (enforcement, partition, queue, fencing_token, configuration,
                                  next_step_at, lease_owner, lease_until, at_version)
     SELECT enforcement, partition, queue, fencing_token, configuration,
            CASE WHEN $6::text IS NULL THEN now() ELSE 'infinity' END, $6,
            CASE WHEN $6::text IS NOT NULL THEN ${leaseUntil('$7')} END,
            CASE WHEN $6::text IS NOT NULL THEN ${lengthOfStream} END
     FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::int[])
       AS added (enforcement, partition, queue, fencing_token, configuration)
     ON CONFLICT DO NOTHING RETURNING enforcement`,
    [
      runs.map(({ enforcement }) => enforcement),
      runs.map(({ partition }) => partition),
      runs.map(({ queue }) => queue),
      runs.map(({ fencingToken }) => fencingToken),
      runs.map(({ configuration }) => configuration ?? null),
      hold?.owner ?? null,
      hold?.holdMs ?? 0,
    ],
  );
  if (!hold) return [];
  const isNew = new Set(added.map(({ enforcement }) => enforcement));
  return runs
    .filter(({ enforcement }) => isNew.has(enforcement))
    .map(({ enforcement, partition, queue, fencingToken }) => ({
      enforcement,
      partition,
      queue,
      fencingToken,
      deaths: 0,
    }));
}

/** Adds the run of a plan by the id of its event, without reading the plan, and with this number of `deaths`. */
export async function addCrashingRun(tx: Tx, planComputed: string, deaths: number): Promise<void> {
  await tx.query(
    `INSERT INTO runs (enforcement, partition, queue, fencing_token, next_step_at, deaths)
     SELECT ${OUTLINE}->>'enforcement', partition, ${OUTLINE}->>'queue', (${OUTLINE}->>'fencingToken')::bigint, now(), $2
     FROM (${eventById('$1')}) plan ON CONFLICT DO NOTHING`,
    [planComputed, deaths],
  );
}

/** Makes the next step of some runs, or of all runs of a partition, due now. */
export async function touchRuns(
  tx: Tx,
  which: { enforcements: readonly string[] } | { partition: string },
): Promise<void> {
  const [those, value] =
    'enforcements' in which
      ? ['enforcement = ANY ($1::text[])', which.enforcements]
      : ['partition = $1', which.partition];
  await tx.query(
    `WITH touched AS (
       -- In the order in which the eviction gate locks them, so that two transactions never deadlock.
       SELECT enforcement FROM runs WHERE ${those} ORDER BY enforcement FOR NO KEY UPDATE
     )
     UPDATE runs SET next_step_at = least(coalesce(next_step_at, 'infinity'), now())
     WHERE enforcement IN (SELECT enforcement FROM touched)`,
    [value],
  );
}

/** Whether a run is open: one of these, or any of these partitions. */
export async function anyOpen(
  db: DataSource,
  { partitions, enforcements }: { partitions: readonly string[]; enforcements: readonly string[] },
): Promise<boolean> {
  const [{ open }] = await db.query<[{ open: boolean }]>(
    'SELECT EXISTS (SELECT FROM runs WHERE partition = ANY ($1::text[]) OR enforcement = ANY ($2::text[])) AS open',
    [partitions, enforcements],
  );
  return open;
}

/** A run that has crashed this many processes in a row is not loaded any more. */
export const mostDeaths = 3;

/**
 * The count of a run whose holder has crashed. It restarts if the run has recorded an event meanwhile. A run that is
 * being given up stays so, even if a process crashes while giving it up: its first victims are recorded as spared, and
 * continuing with the others would evict those that the plan chose last.
 */
const diedAfterLoss = `
  CASE WHEN deaths >= ${mostDeaths} THEN deaths WHEN at_version = ${lengthOfStream} THEN deaths + 1 ELSE 0 END`;

/**
 * $1 owner, $2 limit, $3 duration of the hold, $4 the runs that it carries out already, $5 whether a run that has
 * crashed processes may be among them. Returns one row more than runs: for the others. An expired hold is counted even
 * if the run is left to another process.
 */
const CLAIM = `
  WITH due AS (
    SELECT enforcement, next_step_at, ${lengthOfStream} AS version,
           CASE WHEN lease_until < now() AND lease_owner <> $1 THEN ${diedAfterLoss} ELSE deaths END AS deaths
    FROM runs
    WHERE ((lease_until IS NULL AND next_step_at <= now()) OR lease_until < now() OR lease_owner = $1)
      AND (deaths = 0 OR $5) AND enforcement <> ALL ($4::text[])
    ORDER BY runs.deaths DESC, next_step_at LIMIT $2 FOR UPDATE SKIP LOCKED
  ), taken AS (
    SELECT enforcement FROM due WHERE deaths = 0
    UNION ALL
    (SELECT enforcement FROM due WHERE deaths > 0 AND $5 ORDER BY deaths DESC, next_step_at LIMIT 1)
  ), claimed AS (
    UPDATE runs e SET lease_owner = $1, lease_until = ${leaseUntil('$3')}, next_step_at = 'infinity',
      deaths = due.deaths, at_version = due.version
    FROM due JOIN taken USING (enforcement) WHERE e.enforcement = due.enforcement
    RETURNING e.enforcement, partition, queue, fencing_token, e.deaths
  ), left_over AS (
    UPDATE runs e SET lease_owner = NULL, lease_until = NULL, next_step_at = now(), deaths = due.deaths
    FROM due WHERE e.enforcement = due.enforcement AND due.enforcement NOT IN (SELECT enforcement FROM taken)
  )
  SELECT enforcement, partition, queue, fencing_token, deaths, NULL::float8 AS ms FROM claimed
  UNION ALL
  SELECT NULL, NULL, NULL, NULL, NULL,
         extract(epoch FROM min(least(
           CASE WHEN lease_until IS NULL THEN nullif(next_step_at, 'infinity') END, lease_until)) - now())::float8 * 1000
  FROM runs
  WHERE enforcement NOT IN (SELECT enforcement FROM due) AND (deaths = 0 OR lease_until IS NOT NULL)`;

/**
 * Claims runs whose next step is due, or whose holder has crashed. Of the runs that have crashed processes it claims at
 * most one, the one with the most crashes.
 *
 * @param holder.carried the runs that it carries out now and must not claim a second time.
 * @param holder.mayTakeSuspect whether a run that has crashed processes may be among them.
 */
export async function claimRuns(
  db: DataSource,
  holder: { owner: string; holdMs: number; carried: readonly string[]; mayTakeSuspect: boolean },
  limit: number,
): Promise<Claim> {
  const { owner, holdMs, carried, mayTakeSuspect } = holder;
  const rows = await db.query<ClaimRow[]>(CLAIM, [owner, limit, holdMs, carried, mayTakeSuspect]);
  return {
    runs: rows
      .filter((row) => row.enforcement !== null)
      .map(({ enforcement, partition, queue, fencing_token, deaths }) => ({
        enforcement,
        partition,
        queue,
        fencingToken: Number(fencing_token),
        deaths,
      })),
    nextDueInMs: rows.find((row) => row.enforcement === null)?.ms ?? undefined,
  };
}

/** @returns false if the hold was lost. */
export async function keepHold(
  db: DataSource,
  enforcement: string,
  { owner, holdMs }: { owner: string; holdMs: number },
): Promise<boolean> {
  const [, kept] = await db.query<[unknown, number]>(
    `UPDATE runs SET lease_until = ${leaseUntil('$3')} WHERE enforcement = $1 AND lease_owner = $2`,
    [enforcement, owner, holdMs],
  );
  return kept === 1;
}

/**
 * Releases a run until its next step, or until it is touched. Takes a duration because the clock of the database may
 * differ.
 */
export async function releaseRun(
  db: DataSource,
  enforcement: string,
  { owner, untilNextStepMs, forgetDeaths }: { owner: string; untilNextStepMs: number; forgetDeaths: boolean },
): Promise<void> {
  await db.query(
    `UPDATE runs SET lease_owner = NULL, lease_until = NULL, deaths = CASE WHEN $4 THEN 0 ELSE deaths END,
       next_step_at = least(next_step_at, now() + make_interval(secs => $3))
     WHERE enforcement = $1 AND lease_owner = $2`,
    [enforcement, owner, Math.max(0, untilNextStepMs) / 1000, forgetDeaths],
  );
}

/** Releases all held runs; each hold counts as one whose holder has crashed. */
export async function takeOverAll(db: DataSource): Promise<void> {
  await db.query(
    `UPDATE runs SET lease_owner = NULL, lease_until = NULL, next_step_at = now(),
       deaths = CASE WHEN lease_owner IS NULL THEN deaths ELSE ${diedAfterLoss} END`,
  );
}

/**
 * Removes runs that have ended: their victims that were evicted, or may have been, become recent victims, and the other planned ones
 * are forgotten. In the transaction that records their ends, after these.
 */
export async function removeRuns(tx: Tx, enforcements: readonly string[]): Promise<void> {
  if (enforcements.length === 0) return;
  await tx.query(
    `WITH over AS (DELETE FROM runs WHERE enforcement = ANY ($1)),
     ${plannedToRecent("e.type = ANY ($2::text[]) OR e.type = ANY ($3::text[]) AND e.data->>'code' = ANY ($4::text[])")}
     ON CONFLICT DO NOTHING`,
    [
      enforcements,
      typesOf('VictimEvicted'),
      [...typesOf('VictimGone'), ...typesOf('VictimFailed')],
      possiblyEvictedCodes,
    ],
  );
}

/**
 * Gives the run of a released round a lock of its own.
 *
 * @param round.settings of its policy, with which it was planned; JSON as the database has it.
 * @returns false if other settings are in force: then the run stays fenced.
 */
export async function holdOwnLock(
  tx: Tx,
  { enforcement, policy, settings }: { enforcement: string; policy: string; settings: string | null },
  { awaitsApproval }: { awaitsApproval: boolean },
): Promise<boolean> {
  const [, kept] = await tx.query<[unknown, number]>(
    `UPDATE runs e SET own_lock = true, awaits_approval = $4, policy = $2::text, settings = $3::jsonb
     FROM partitions p
     WHERE e.enforcement = $1 AND p.partition = e.partition AND (p.policies -> $2::text)::jsonb = $3::jsonb`,
    [enforcement, policy, settings, awaitsApproval],
  );
  return kept === 1;
}

/** @returns false if its plan does not wait for approval, or no longer does. */
export async function noteApproved(tx: Tx, enforcement: string): Promise<boolean> {
  const [, begun] = await tx.query<[unknown, number]>(
    'UPDATE runs SET awaits_approval = false WHERE enforcement = $1 AND awaits_approval',
    [enforcement],
  );
  return begun === 1;
}

/**
 * For a partition with a new configuration: runs that outlived the rounds of a policy and were planned with other
 * settings lose their lock permanently, even if the old settings return. Their next steps are due at once, and end
 * them.
 */
export async function endOutdatedRuns(tx: Tx, partition: string): Promise<void> {
  await tx.query(
    `UPDATE runs e SET own_lock = false, next_step_at = least(coalesce(next_step_at, 'infinity'), now())
     FROM partitions p
     WHERE e.partition = $1 AND p.partition = $1 AND own_lock
       AND (p.policies -> e.policy)::jsonb IS DISTINCT FROM e.settings`,
    [partition],
  );
}
