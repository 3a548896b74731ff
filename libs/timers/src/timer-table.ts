import type { DataSource } from 'typeorm';
import type { Tx } from '#event-store';

/** The purpose of a timer, and its owner. */
export interface TimerKey {
  kind: string;
  partition: string;
  name: string;
}

export interface Timer extends TimerKey {
  /** Grows each time the timer is set; a wake-up for an older one is ignored. */
  generation: number;
  dueAt: Date;
  /**
   * `pending`: fires at `dueAt`. `waiting`: due, but blocked by something that will resume it. `suspended`: held by the switch of
   * its partition or a kill switch.
   */
  state: TimerState;
}
export type TimerState = 'pending' | 'waiting' | 'suspended';

/** Writes timers in the caller's transaction. This table decides which timers are due. Request the wake-ups after the commit. */
export async function setTimers(tx: Tx, timers: Timer[]): Promise<void> {
  if (timers.length === 0) return;
  await tx.query(
    `INSERT INTO timers (kind, partition, name, generation, due_at, state)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::timestamptz[], $6::text[])
     ON CONFLICT (kind, partition, name) DO UPDATE
       SET generation = excluded.generation, due_at = excluded.due_at, state = excluded.state`,
    [
      timers.map((timer) => timer.kind),
      timers.map((timer) => timer.partition),
      timers.map((timer) => timer.name),
      timers.map((timer) => timer.generation),
      timers.map((timer) => timer.dueAt.toISOString()),
      timers.map((timer) => timer.state),
    ],
  );
}

/** Sets due pending timers to waiting. A timer that was set again or cleared meanwhile does not change. */
export async function holdTimers(tx: Tx, timers: (TimerKey & { generation: number })[]): Promise<void> {
  if (timers.length === 0) return;
  await tx.query(
    `UPDATE timers SET state = 'waiting'
     FROM unnest($1::text[], $2::text[], $3::text[], $4::int[]) AS held (kind, partition, name, generation)
     WHERE timers.kind = held.kind AND timers.partition = held.partition AND timers.name = held.name
       AND timers.generation = held.generation AND timers.state = 'pending'`,
    [
      timers.map((timer) => timer.kind),
      timers.map((timer) => timer.partition),
      timers.map((timer) => timer.name),
      timers.map((timer) => timer.generation),
    ],
  );
}

export async function clearTimers(tx: Tx, keys: TimerKey[]): Promise<void> {
  if (keys.length === 0) return;
  await tx.query(
    `DELETE FROM timers USING unnest($1::text[], $2::text[], $3::text[]) AS gone (kind, partition, name)
     WHERE timers.kind = gone.kind AND timers.partition = gone.partition AND timers.name = gone.name`,
    [keys.map((key) => key.kind), keys.map((key) => key.partition), keys.map((key) => key.name)],
  );
}

/** Deletes the timers of a kind in a partition that are due at a moment (RFC 3339). */
export async function clearDueTimers(tx: Tx, kind: string, partition: string, at: string): Promise<void> {
  await tx.query('DELETE FROM timers WHERE kind = $1 AND partition = $2 AND due_at <= $3', [
    kind,
    partition,
    at,
  ]);
}

/** Deletes all timers of a kind in a partition. */
export async function clearTimersOf(tx: Tx, kind: string, partition: string): Promise<void> {
  await tx.query('DELETE FROM timers WHERE kind = $1 AND partition = $2', [kind, partition]);
}

const columns = 'kind, partition, name, generation, due_at AS "dueAt", state';

/** Pending timers of a kind in a partition that are due at `now`: the longest due first, then the deeper path, then by name. */
export function dueTimers(
  db: DataSource | Tx,
  kind: string,
  now: Date,
  { partition, limit }: { partition: string; limit: number },
): Promise<Timer[]> {
  return db.query(
    `SELECT ${columns} FROM timers
     WHERE kind = $1 AND state = 'pending' AND due_at <= $2 AND partition = $4
     ORDER BY due_at, length(name) - length(replace(name, '.', '')) DESC, name LIMIT $3`,
    [kind, now.toISOString(), limit, partition],
  );
}

/** By kind: the partitions with pending timers that are due at `now`, by name. Kinds without any are missing. */
export async function duePartitions(
  db: DataSource,
  kinds: readonly string[],
  now: Date,
): Promise<Map<string, string[]>> {
  const rows = await db.query<{ kind: string; partitions: string[] }[]>(
    `SELECT kind, array_agg(DISTINCT partition ORDER BY partition) AS partitions FROM timers
     WHERE kind = ANY ($1::text[]) AND state = 'pending' AND due_at <= $2 GROUP BY kind`,
    [kinds, now.toISOString()],
  );
  return new Map(rows.map(({ kind, partitions }) => [kind, partitions]));
}

/** The distinct times before `until` at which timers of a kind in a partition are due. */
export async function dueMoments(
  db: DataSource,
  kind: string,
  partition: string,
  until: Date,
): Promise<Date[]> {
  const rows = await db.query<{ dueAt: Date }[]>(
    `SELECT DISTINCT due_at AS "dueAt" FROM timers
     WHERE kind = $1 AND partition = $2 AND state = 'pending' AND due_at < $3`,
    [kind, partition, until.toISOString()],
  );
  return rows.map(({ dueAt }) => dueAt);
}

/** The most recently due of the pending timers of a kind in a partition that are due at `now`. */
export async function lastDueTimer(
  tx: Tx,
  kind: string,
  partition: string,
  now: Date,
): Promise<Timer | undefined> {
  const [timer] = await tx.query<Timer[]>(
    `SELECT ${columns} FROM timers WHERE kind = $1 AND partition = $2 AND state = 'pending' AND due_at <= $3
     ORDER BY due_at DESC LIMIT 1`,
    [kind, partition, now.toISOString()],
  );
  return timer;
}

/** All pending timers of a kind, for a wake-up queue that lost its jobs. */
export function pendingTimers(
  db: DataSource,
  kind: string,
  options: { after?: TimerKey; limit: number },
): Promise<Timer[]> {
  return db.query(
    `SELECT ${columns} FROM timers WHERE kind = $1 AND state = 'pending' AND (partition, name) > ($2, $3)
     ORDER BY partition, name LIMIT $4`,
    [kind, options.after?.partition ?? '', options.after?.name ?? '', options.limit],
  );
}

/** A timer as it is set; undefined: it is not. */
export async function findTimer(tx: Tx, { kind, partition, name }: TimerKey): Promise<Timer | undefined> {
  const [timer] = await tx.query<Timer[]>(
    `SELECT ${columns} FROM timers WHERE kind = $1 AND partition = $2 AND name = $3`,
    [kind, partition, name],
  );
  return timer;
}

/** The number of all timers of a kind. */
export async function countTimers(db: DataSource, kind: string): Promise<number> {
  const [row] = await db.query<{ count: number }[]>(
    'SELECT count(*)::int AS count FROM timers WHERE kind = $1',
    [kind],
  );
  return row?.count ?? 0;
}

/** The partitions with timers of these kinds. */
export async function partitionsWithTimers(db: DataSource, kinds: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ partition: string }[]>(
    'SELECT DISTINCT partition FROM timers WHERE kind = ANY ($1) ORDER BY partition',
    [kinds],
  );
  return rows.map(({ partition }) => partition);
}
