import type { DataSource } from 'typeorm';
import type { ClockState } from '#enforcement';
import { leaseUntil, type Tx } from '#event-store';

/*
 * A row of `clocks` is the clock of a queue and, while a run has the queue, its lock: the run, its fencing token,
 * and the lease, until which a process has promised to carry the run out. The timer writes clocks; the process that
 * carries a run out renews its lock. The timer ends a run whose lease has expired. The lease of a round is in the round's own row
 * (`libs/rounds/src/round-table.ts`), because a round holds its partition without a run.
 */

/** A clock as it is saved. */
export interface SavedClock {
  partition: string;
  queue: string;
  /** Of its stream. */
  version: number;
  state: ClockState;
  /** The version of the configuration stream that was applied last. */
  configVersion: number;
}

/** Saves clocks with the locks of their queues: a new lock has a lease of `leaseMs`; an existing one keeps its own. */
export async function saveClocks(tx: Tx, clocks: readonly SavedClock[], leaseMs: number): Promise<void> {
  if (clocks.length === 0) return;
  await tx.query(
    `INSERT INTO clocks (partition, queue, version, state, running_enforcement, fencing_token, lease_until, config_version)
     SELECT partition, queue, version, state, running, token,
            CASE WHEN running IS NOT NULL THEN ${leaseUntil('$7')} END, config
     FROM ROWS FROM (unnest($1::text[], $2::text[], $3::int[], $5::text[], $6::bigint[], $8::int[]), json_array_elements($4::json))
       AS s (partition, queue, version, running, token, config, state)
     ON CONFLICT (partition, queue) DO UPDATE SET version = excluded.version, state = excluded.state,
       config_version = greatest(excluded.config_version, clocks.config_version),
       lease_until = CASE WHEN excluded.running_enforcement = clocks.running_enforcement
                          THEN clocks.lease_until ELSE excluded.lease_until END,
       running_enforcement = excluded.running_enforcement, fencing_token = excluded.fencing_token`,
    [
      clocks.map(({ partition }) => partition),
      clocks.map(({ queue }) => queue),
      clocks.map(({ version }) => version),
      statesOf(clocks),
      clocks.map(({ state }) => state.running?.enforcement ?? null),
      clocks.map(({ state }) => state.running?.fencingToken ?? null),
      leaseMs,
      clocks.map(({ configVersion }) => configVersion),
    ],
  );
}

/** Saves the versions of unchanged clocks. Their states may be changed by others at this moment, and are not written. */
export async function saveVersions(tx: Tx, clocks: readonly SavedClock[]): Promise<void> {
  if (clocks.length === 0) return;
  await tx.query(
    `INSERT INTO clocks AS known (partition, queue, version, state, config_version)
     SELECT partition, queue, version, state, config
     FROM ROWS FROM (unnest($1::text[], $2::text[], $3::int[], $5::int[]), json_array_elements($4::json))
       AS s (partition, queue, version, config, state)
     ON CONFLICT (partition, queue) DO UPDATE
       SET config_version = greatest(excluded.config_version, known.config_version)`,
    [
      clocks.map(({ partition }) => partition),
      clocks.map(({ queue }) => queue),
      clocks.map(({ version }) => version),
      statesOf(clocks),
      clocks.map(({ configVersion }) => configVersion),
    ],
  );
}

/** One JSON text: in an array of texts, the server would have to unquote each. */
const statesOf = (clocks: readonly SavedClock[]): string => JSON.stringify(clocks.map(({ state }) => state));

/** Records that existing clocks have applied these versions of the configuration stream, or newer ones. */
export async function noteVersions(
  db: DataSource,
  partition: string,
  applied: readonly { queue: string; version: number }[],
): Promise<void> {
  if (applied.length === 0) return;
  await db.query(
    `UPDATE clocks c SET config_version = greatest(c.config_version, newest.version)
     FROM (SELECT queue, max(version) AS version FROM unnest($2::text[], $3::int[]) AS a (queue, version) GROUP BY queue) newest
     WHERE c.partition = $1 AND c.queue = newest.queue`,
    [partition, applied.map(({ queue }) => queue), applied.map(({ version }) => version)],
  );
}

/** Renews the locks that these runs hold by their fencing tokens; a run that lost its lock is not affected. */
export async function renewLocks(
  db: DataSource,
  runs: readonly { enforcement: string; fencingToken: number }[],
  leaseMs: number,
): Promise<void> {
  await db.query(
    `UPDATE clocks s SET lease_until = ${leaseUntil('$3')}
     FROM unnest($1::text[], $2::bigint[]) AS run (enforcement, token)
     WHERE s.running_enforcement = run.enforcement AND s.fencing_token = run.token`,
    [runs.map(({ enforcement }) => enforcement), runs.map(({ fencingToken }) => fencingToken), leaseMs],
  );
}

/** Renews the locks of queues that open runs hold, except those that are `stuck`. */
export async function renewLocksOfOpen(
  db: DataSource,
  leaseMs: number,
  stuck: readonly string[],
): Promise<void> {
  await db.query(
    `UPDATE clocks s SET lease_until = ${leaseUntil('$1')}
     FROM runs e
     WHERE s.partition = e.partition AND s.queue = e.queue AND s.running_enforcement = e.enforcement
       AND s.fencing_token = e.fencing_token AND e.enforcement <> ALL ($2::text[])`,
    [leaseMs, stuck],
  );
}

/** Gives a lease to locks of a partition that have none and would never be released. @returns how many there were. */
export async function leaseLocks(db: DataSource, partition: string, leaseMs: number): Promise<number> {
  const [, set] = await db.query<[unknown, number]>(
    `UPDATE clocks SET lease_until = ${leaseUntil('$2')}
     WHERE partition = $1 AND running_enforcement IS NOT NULL AND lease_until IS NULL`,
    [partition, leaseMs],
  );
  return set;
}

/**
 * SQL: the fencing token of the lock that a run holds now, null if it holds none. The run is a row `run` with
 * partition, queue and enforcement. The lock of a round is void once its policy is switched off or has other settings
 * than the round was planned with.
 */
export const LOCK_IN_FORCE = `
  coalesce((SELECT fencing_token FROM clocks s
            WHERE s.partition = run.partition AND s.queue = run.queue AND running_enforcement = run.enforcement),
           (SELECT r.fencing_token FROM rounds r JOIN partitions p USING (partition)
            WHERE r.partition = run.partition AND r.enforcement = run.enforcement AND r.state = 'executing'
              AND (p.policies -> r.policy)::jsonb = r.settings),
           (SELECT e.fencing_token FROM runs e JOIN partitions p USING (partition)
            WHERE e.enforcement = run.enforcement AND own_lock
              AND (p.policies -> e.policy)::jsonb = e.settings))`;
