import type { DataSource } from 'typeorm';
import type { PolicySettings } from '#configuration';
import { CurtailError, type Notice } from '#contracts';
import { type ModeSettings, modeInForce } from '#enforcement';
import { announce, leaseUntil, type Tx } from '#event-store';
import { HOLDS_OF, type Holds, stopsAt } from '#holds';
import { endOutdatedRuns } from '#runs';
import type { RoundsOfPartition } from './planned-round.js';

/*
 * The rounds of the policies that plan a partition periodically: one row per policy and partition.
 *
 *   over ──begin──▶ wanted ──take──▶ planning ──settle──▶ executing ──release──▶ over
 *     ▲   timer             planner       │     planner               executor
 *     └───────────────────────────────────┘ it changes nothing, or cannot be planned
 *
 * "Under way" is a fact of the row, so there is one round at a time however many processes there are. The process that
 * carries out a round renews its lease. If the lease expires, the next timer begins another round with a greater fencing token: a
 * process that returns to the old round finds that it has lost it, and records and kills nothing.
 *
 * The lease is of the round and not of a run (`libs/runs`): it begins before there is a plan, most rounds end without a run, and
 * its expiry begins the next round instead of ending a run. Both leases use the same SQL (`leaseUntil`).
 */

export interface Round {
  policy: string;
  partition: string;
  /** From 1 on, without gaps. */
  round: number;
  enforcement: string;
  fencingToken: number;
  dueAt: Date;
  startedAt: Date;
  /** Digest of the victims in the last plan that was shown but could not change anything. */
  shown: string | null;
  /** When that changed last; null if never. */
  shownAt: Date | null;
}

/** The wake-up that commits send when a round is wanted. */
export const roundsWake = 'curtail.rounds';

/** The lease of a round that waits to be planned, or is being planned. */
export const planningLeaseMs = 15_000;

/** Another process took the round over; this one may not touch it any more. */
export class RoundLost extends CurtailError {
  readonly code = 'round-lost';
}

interface Row {
  policy: string;
  partition: string;
  round: string;
  enforcement: string;
  fencing_token: string;
  due_at: Date;
  started_at: Date;
  shown: string | null;
  shown_at: Date | null;
}

const columns =
  'policy, partition, round::text, enforcement, fencing_token::text, due_at, started_at, shown, shown_at';

const fromRow = (row: Row): Round => ({
  policy: row.policy,
  partition: row.partition,
  round: Number(row.round),
  enforcement: row.enforcement,
  fencingToken: Number(row.fencing_token),
  dueAt: row.due_at,
  startedAt: row.started_at,
  shown: row.shown,
  shownAt: row.shown_at,
});

/**
 * Begins a round, unless one is under way: then it is skipped and counted. Wakes the planners once the transaction has
 * committed.
 */
export async function beginRound(
  tx: Tx,
  {
    policy,
    partition,
    enforcement,
    dueAt,
    now,
  }: Omit<Round, 'round' | 'fencingToken' | 'startedAt' | 'shown' | 'shownAt'> & { now: Date },
): Promise<Round | 'skipped'> {
  const begun = await tx.query<Row[]>(
    `INSERT INTO rounds (policy, partition, round, enforcement, fencing_token, state, due_at, started_at, lease_until)
     VALUES ($1, $2, 1, $3, nextval('fencing_tokens'), 'wanted', $4, $5, ${leaseUntil('$6')})
     ON CONFLICT (policy, partition) DO UPDATE
       SET round = rounds.round + 1, enforcement = excluded.enforcement, fencing_token = excluded.fencing_token,
           state = excluded.state, due_at = excluded.due_at, started_at = excluded.started_at,
           lease_until = excluded.lease_until
       WHERE rounds.state = 'over' OR rounds.lease_until < now()
     RETURNING ${columns}`,
    [policy, partition, enforcement, dueAt.toISOString(), now.toISOString(), planningLeaseMs],
  );
  const [row] = begun;
  if (row) {
    announce(tx, [roundsWake]);
    return fromRow(row);
  }
  await tx.query(
    `UPDATE rounds SET skipped = skipped + 1, skipped_unreported = skipped_unreported + 1
     WHERE policy = $1 AND partition = $2`,
    [policy, partition],
  );
  return 'skipped';
}

/**
 * When the round under way began: one that is wanted, being planned or not yet released by the executor, with a valid lease;
 * undefined if none is under way.
 */
export async function underWaySince(tx: Tx, policy: string, partition: string): Promise<Date | undefined> {
  const rows = await tx.query<{ since: Date }[]>(
    `SELECT started_at AS since FROM rounds WHERE policy = $1 AND partition = $2 AND state <> 'over' AND lease_until >= now()`,
    [policy, partition],
  );
  return rows[0]?.since;
}

/** Claims the round that has waited longest to be planned; undefined if none waits. */
export async function takeRound(db: DataSource, policy: string): Promise<Round | undefined> {
  const [rows] = await db.query<[Row[], number]>(
    `UPDATE rounds SET state = 'planning', lease_until = ${leaseUntil('$2')}
     WHERE (policy, partition) = (
       SELECT policy, partition FROM rounds WHERE policy = $1 AND state = 'wanted'
       ORDER BY started_at LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING ${columns}`,
    [policy, planningLeaseMs],
  );
  return rows[0] && fromRow(rows[0]);
}

/** Renews the lease of a round that is being planned. */
export async function renewPlanning(
  db: DataSource,
  { policy, partition, enforcement }: Round,
): Promise<void> {
  await db.query(
    `UPDATE rounds SET lease_until = ${leaseUntil('$4')}
     WHERE policy = $1 AND partition = $2 AND enforcement = $3 AND state = 'planning'`,
    [policy, partition, enforcement, planningLeaseMs],
  );
}

/** The reason why a round could not be planned. */
export interface RoundFailure extends Notice {
  /** The error of the input, and the path of its field. */
  fault?: { code: string; path: string };
}

export interface SettledRound {
  /** The time for the executor to take the round over; null = the round changes nothing, and is over. */
  leaseMs: number | null;
  seconds: number;
  plannedAt: Date;
  /** The summary of the last round for display. */
  plan?: object;
  /** The settings of the policy in force when the round was planned: with other settings its run is fenced. */
  settings?: PolicySettings;
  failure?: RoundFailure;
  shown: string | null;
}

/**
 * Records the result of planning a round.
 *
 * @returns the number of rounds that were skipped since the last one that was logged, if this one is.
 * @throws RoundLost
 */
export async function settleRound(tx: Tx, round: Round, settled: SettledRound): Promise<number> {
  const goesOn = settled.leaseMs !== null;
  const [rows] = await tx.query<[{ unreported: number }[], number]>(
    `WITH before AS (
       SELECT skipped_unreported FROM rounds
       WHERE policy = $1 AND partition = $2 AND enforcement = $3 AND state = 'planning' FOR UPDATE
     )
     UPDATE rounds SET state = $4, lease_until = ${leaseUntil('$5')}, seconds = $6, failure = $9, shown = $10,
       shown_at = CASE WHEN rounds.shown IS DISTINCT FROM $10 THEN now() ELSE rounds.shown_at END,
       skipped_unreported = CASE WHEN $11 THEN 0 ELSE rounds.skipped_unreported END,
       planned_round = CASE WHEN $8::json IS NULL THEN planned_round ELSE round END,
       planned_at = CASE WHEN $8::json IS NULL THEN planned_at ELSE $7 END, plan = coalesce($8, plan), settings = $12
     FROM before WHERE policy = $1 AND partition = $2
     RETURNING before.skipped_unreported AS unreported`,
    [
      round.policy,
      round.partition,
      round.enforcement,
      goesOn ? 'executing' : 'over',
      settled.leaseMs ?? 0,
      settled.seconds,
      settled.plannedAt.toISOString(),
      settled.plan ? JSON.stringify(settled.plan) : null,
      settled.failure ? JSON.stringify(settled.failure) : null,
      settled.shown,
      goesOn,
      settled.settings ? JSON.stringify(settled.settings) : null,
    ],
  );
  const [row] = rows;
  if (row) return row.unreported;
  throw new RoundLost(`round ${round.round} of ${round.partition} is no longer in progress`);
}

/** The last reported failure, so that not every round reports it. */
export async function lastFailure(
  db: DataSource,
  { policy, partition }: Round,
): Promise<RoundFailure | null> {
  const rows = await db.query<{ failure: RoundFailure | null }[]>(
    'SELECT failure FROM rounds WHERE policy = $1 AND partition = $2',
    [policy, partition],
  );
  return rows[0]?.failure ?? null;
}

/** The number of the round whose plan a run carries out; undefined if the round was given up. */
export async function roundNumber(
  db: DataSource,
  { policy, partition }: { policy: string; partition: string },
  enforcement: string,
): Promise<number | undefined> {
  const rows = await db.query<{ round: string }[]>(
    'SELECT round::text FROM rounds WHERE policy = $1 AND partition = $2 AND enforcement = $3',
    [policy, partition, enforcement],
  );
  return rows[0] && Number(rows[0].round);
}

/** The policy is switched off in a partition: its round under way ends at once. */
export async function endRounds(tx: Tx, policy: string, partition: string): Promise<void> {
  await tx.query(
    `UPDATE rounds SET state = 'over' WHERE policy = $1 AND partition = $2 AND state <> 'over'`,
    [policy, partition],
  );
}

/** Ends rounds that were carried out, in the transaction that records the ends of their runs. Other runs have no round. */
export async function releaseRounds(tx: Tx, enforcements: string[]): Promise<void> {
  await tx.query(`UPDATE rounds SET state = 'over' WHERE enforcement = ANY ($1) AND state = 'executing'`, [
    enforcements,
  ]);
}

/**
 * Ends a round whose run continues without it.
 *
 * @returns the settings that it was planned with, as JSON; undefined if it was no longer carried out.
 */
export async function releaseRound(
  tx: Tx,
  enforcement: string,
): Promise<{ policy: string; settings: string | null } | undefined> {
  const [rows] = await tx.query<[{ policy: string; settings: string | null }[], number]>(
    `UPDATE rounds SET state = 'over' WHERE enforcement = $1 AND state = 'executing' RETURNING policy, settings::text`,
    [enforcement],
  );
  return rows[0];
}

/** Renews the leases of rounds whose runs are open, except those that are `stuck`. */
export async function renewExecutingRounds(
  db: DataSource,
  leaseMs: number,
  stuck: readonly string[],
): Promise<void> {
  await db.query(
    `UPDATE rounds r SET lease_until = ${leaseUntil('$1')}
     FROM runs e
     WHERE r.partition = e.partition AND r.enforcement = e.enforcement AND r.state = 'executing'
       AND e.enforcement <> ALL ($2::text[])`,
    [leaseMs, stuck],
  );
}

/**
 * For a partition with a new configuration: rounds that were planned with other settings, and runs that outlived them,
 * lose their lock permanently, even if the old settings return. The next steps of the runs are due at once, and end
 * them.
 */
export async function endOutdatedRounds(tx: Tx, partition: string): Promise<void> {
  await tx.query(
    `UPDATE rounds r SET settings = NULL FROM partitions p
     WHERE r.partition = $1 AND p.partition = $1 AND r.state = 'executing'
       AND (p.policies -> r.policy)::jsonb IS DISTINCT FROM r.settings`,
    [partition],
  );
  await endOutdatedRuns(tx, partition);
}

export async function partitionState(
  db: DataSource,
  partition: string,
  settings: ModeSettings,
): Promise<RoundsOfPartition> {
  const rows = await db.query<(Pick<RoundsOfPartition, 'now' | 'awaitsApproval'> & { holds: Holds })[]>(
    `SELECT now() AS now, ${HOLDS_OF('$1')} AS holds,
            EXISTS (SELECT FROM runs
                    WHERE partition = $1 AND own_lock AND awaits_approval) AS "awaitsApproval"`,
    [partition],
  );
  const { holds, ...row } = rows[0]!;
  const stops = stopsAt(holds, row.now.getTime());
  return { ...row, mode: modeInForce(holds.mode, settings).mode, stops };
}

/** New rounds of one partition and changes of their interval are serialized. */
export async function lockRounds(tx: Tx, partition: string): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('round/' || $1, 0))`, [partition]);
}
