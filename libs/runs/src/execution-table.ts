import { eventById, leaseUntil, type Tx } from '@curtail/event-store';
import type { DataSource } from 'typeorm';

/*
 * A row of `executions` is a run that is not over yet, as work to be done: it has the moment of its next step, and at most one process
 * holds it, for as long as its hold is renewed.
 */

/** A run that is not over yet. */
export interface OpenExecution {
  enforcement: string;
  partition: string;
  queue: string;
  fencingToken: number;
}

/** A run that was taken hold of. */
export interface HeldExecution extends OpenExecution {
  /** So many processes have taken hold of it before, one after the other, and ended without recording anything of it. */
  deaths: number;
}

/** Runs that are held now, and in how many milliseconds the next step of any other is due; undefined if none is. */
export interface Claim {
  runs: HeldExecution[];
  nextDueInMs: number | undefined;
}

type ClaimRow =
  | { enforcement: string; partition: string; queue: string; fencing_token: string; died: number; ms: null }
  | { enforcement: null; ms: number | null };

/** Adds runs; their first steps are due at once. One that is there stays as it is. */
export async function addExecutions(tx: Tx, executions: readonly OpenExecution[]): Promise<void> {
  if (executions.length === 0) return;
  await tx.query(
    `INSERT INTO executions (enforcement, partition, queue, fencing_token, next_step_at)
     SELECT *, now() FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) ON CONFLICT DO NOTHING`,
    [
      executions.map(({ enforcement }) => enforcement),
      executions.map(({ partition }) => partition),
      executions.map(({ queue }) => queue),
      executions.map(({ fencingToken }) => fencingToken),
    ],
  );
}

/** Adds the run of a plan by the id of its event, which is not read here, with so many `deaths`. */
export async function addDeadlyExecution(tx: Tx, planComputed: string, deaths: number): Promise<void> {
  await tx.query(
    `INSERT INTO executions (enforcement, partition, queue, fencing_token, next_step_at, died)
     SELECT data->>'enforcement', partition, data->>'queue', (data->>'fencingToken')::bigint, now(), $2
     FROM (${eventById('$1')}) plan ON CONFLICT DO NOTHING`,
    [planComputed, deaths],
  );
}

/** The next step of a run, or of all runs of a partition, is due now. */
export async function touchExecutions(
  tx: Tx,
  which: { enforcement: string } | { partition: string },
): Promise<void> {
  const [column, value] =
    'enforcement' in which ? ['enforcement', which.enforcement] : ['partition', which.partition];
  await tx.query(
    `WITH touched AS (
       -- In the order in which the gate of evictions locks them: of two that want several rows, none waits for the other.
       SELECT enforcement FROM executions WHERE ${column} = $1 ORDER BY enforcement FOR NO KEY UPDATE
     )
     UPDATE executions SET next_step_at = least(coalesce(next_step_at, 'infinity'), now())
     WHERE enforcement IN (SELECT enforcement FROM touched)`,
    [value],
  );
}

const lengthOfStream = `coalesce((SELECT version FROM stream_heads WHERE stream = 'execution-' || enforcement), 0)`;

/** A run with which so many processes have ended, one after the other, is not loaded any more. */
export const mostDeaths = 3;

/**
 * The counts of a run whose holder is gone. Of one that has recorded something meanwhile, the next one begins again. One that is
 * being given up stays so, also when a process ends in the middle of it: its first victims are on record as spared, and to go on with
 * the others would evict those that the plan chose last.
 */
const diedAfterLoss = `
  CASE WHEN died >= ${mostDeaths} THEN died WHEN at_version = ${lengthOfStream} THEN died + 1 ELSE 0 END`;

/**
 * $1 who, $2 how many, $3 for how long, $4 those that are carried on already, $5 whether one with which processes have ended may be among
 * them. One row more than runs: of the others. A lease that ran out is counted also where the run is left to another process.
 */
const CLAIM = `
  WITH due AS (
    SELECT enforcement, next_step_at, ${lengthOfStream} AS version,
           CASE WHEN lease_until < now() AND lease_owner <> $1 THEN ${diedAfterLoss} ELSE died END AS died
    FROM executions
    WHERE ((lease_until IS NULL AND next_step_at <= now()) OR lease_until < now() OR lease_owner = $1)
      AND (died = 0 OR $5) AND enforcement <> ALL ($4::text[])
    ORDER BY executions.died DESC, next_step_at LIMIT $2 FOR UPDATE SKIP LOCKED
  ), taken AS (
    SELECT enforcement FROM due WHERE died = 0
    UNION ALL
    (SELECT enforcement FROM due WHERE died > 0 AND $5 ORDER BY died DESC, next_step_at LIMIT 1)
  ), claimed AS (
    UPDATE executions e SET lease_owner = $1, lease_until = ${leaseUntil('$3')}, next_step_at = 'infinity',
      died = due.died, at_version = due.version
    FROM due JOIN taken USING (enforcement) WHERE e.enforcement = due.enforcement
    RETURNING e.enforcement, partition, queue, fencing_token, e.died
  ), left_over AS (
    UPDATE executions e SET lease_owner = NULL, lease_until = NULL, next_step_at = now(), died = due.died
    FROM due WHERE e.enforcement = due.enforcement AND due.enforcement NOT IN (SELECT enforcement FROM taken)
  )
  SELECT enforcement, partition, queue, fencing_token, died, NULL::float8 AS ms FROM claimed
  UNION ALL
  SELECT NULL, NULL, NULL, NULL, NULL,
         extract(epoch FROM min(least(
           CASE WHEN lease_until IS NULL THEN nullif(next_step_at, 'infinity') END, lease_until)) - now())::float8 * 1000
  FROM executions
  WHERE enforcement NOT IN (SELECT enforcement FROM due) AND (died = 0 OR lease_until IS NOT NULL)`;

/**
 * Takes hold of runs whose next step is due, or whose holder is gone. Of those with which processes have ended it takes one at the
 * most, the one with the most deaths.
 *
 * @param holder.carried what it carries on now, and must not take a second time.
 * @param holder.mayTakeSuspect whether a run with which processes have ended may be among them.
 */
export async function claimExecutions(
  db: DataSource,
  holder: { owner: string; holdMs: number; carried: readonly string[]; mayTakeSuspect: boolean },
  limit: number,
): Promise<Claim> {
  const { owner, holdMs, carried, mayTakeSuspect } = holder;
  const rows: ClaimRow[] = await db.query(CLAIM, [owner, limit, holdMs, carried, mayTakeSuspect]);
  return {
    runs: rows
      .filter((row) => row.enforcement !== null)
      .map(({ enforcement, partition, queue, fencing_token, died }) => ({
        enforcement,
        partition,
        queue,
        fencingToken: Number(fencing_token),
        deaths: died,
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
  const [, kept]: [unknown, number] = await db.query(
    `UPDATE executions SET lease_until = ${leaseUntil('$3')} WHERE enforcement = $1 AND lease_owner = $2`,
    [enforcement, owner, holdMs],
  );
  return kept === 1;
}

/** Lets a run go until its next step, or until it is touched. A span, since the clock of the database may be another. */
export async function letGo(
  db: DataSource,
  enforcement: string,
  { owner, untilNextStepMs, forgetDeaths }: { owner: string; untilNextStepMs: number; forgetDeaths: boolean },
): Promise<void> {
  await db.query(
    `UPDATE executions SET lease_owner = NULL, lease_until = NULL, died = CASE WHEN $4 THEN 0 ELSE died END,
       next_step_at = least(next_step_at, now() + make_interval(secs => $3))
     WHERE enforcement = $1 AND lease_owner = $2`,
    [enforcement, owner, Math.max(0, untilNextStepMs) / 1000, forgetDeaths],
  );
}

/** Lets all runs go that anybody holds; each hold counts as one whose holder is gone. */
export async function takeOverAll(db: DataSource): Promise<void> {
  await db.query(
    `UPDATE executions SET lease_owner = NULL, lease_until = NULL, next_step_at = now(),
       died = CASE WHEN lease_owner IS NULL THEN died ELSE ${diedAfterLoss} END`,
  );
}

/** Runs that are over go, with what is left of their victims. In the transaction that records their ends. */
export async function removeExecutions(tx: Tx, enforcements: readonly string[]): Promise<void> {
  if (enforcements.length === 0) return;
  await tx.query(
    `WITH over AS (DELETE FROM executions WHERE enforcement = ANY ($1))
     DELETE FROM planned_victims WHERE enforcement = ANY ($1)`,
    [enforcements],
  );
}

/**
 * From here on the run of a round that was given back holds a lock of its own.
 *
 * @param round.settings of its policy, which it was planned with; JSON as the database has it.
 * @returns false if others are in force: then the run stays fenced.
 */
export async function holdOwnLock(
  tx: Tx,
  { enforcement, policy, settings }: { enforcement: string; policy: string; settings: string | null },
  { awaitsApproval }: { awaitsApproval: boolean },
): Promise<boolean> {
  const [, kept]: [unknown, number] = await tx.query(
    `UPDATE executions e SET own_lock = true, awaits_approval = $4, policy = $2::text, settings = $3::jsonb
     FROM partitions p
     WHERE e.enforcement = $1 AND p.partition = e.partition AND (p.policies -> $2::text)::jsonb = $3::jsonb`,
    [enforcement, policy, settings, awaitsApproval],
  );
  return kept === 1;
}

/** @returns false if its plan does not wait for approval, or does not any more. */
export async function noteApproved(tx: Tx, enforcement: string): Promise<boolean> {
  const [, begun]: [unknown, number] = await tx.query(
    'UPDATE executions SET awaits_approval = false WHERE enforcement = $1 AND awaits_approval',
    [enforcement],
  );
  return begun === 1;
}

/**
 * Of a partition that has another configuration: runs that outlived the rounds of a policy and were planned with other settings lose
 * their lock for good, also if the old settings come back. They check at once, and end.
 */
export async function endOutdatedRuns(tx: Tx, partition: string): Promise<void> {
  await tx.query(
    `UPDATE executions e SET own_lock = false, next_step_at = least(coalesce(next_step_at, 'infinity'), now())
     FROM partitions p
     WHERE e.partition = $1 AND p.partition = $1 AND own_lock
       AND (p.policies -> e.policy)::jsonb IS DISTINCT FROM e.settings`,
    [partition],
  );
}
