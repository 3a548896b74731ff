import type { DataSource } from 'typeorm';
import { clockKind, type QuotaValues } from '#contracts';
import { catalog } from '#contracts/events';
import { nearBusy } from '#enforcement';
import { type KeyOfStream, runStream, type StoredEvent } from '#event-store';
import { clockConsumer } from '../clocks/clock-event.js';

/** Queues with a pending clock or a run. */
const BUSY = `
  SELECT name AS queue FROM timers WHERE kind = $2 AND partition = $1 AND state <> 'suspended'
  UNION SELECT queue FROM clocks WHERE partition = $1 AND running_enforcement IS NOT NULL`;

/**
 * Whether a queue above or below has a pending clock or a run, which may bring this queue down; then it is left for
 * the next comparison.
 */
export async function busyAround(db: DataSource, partition: string): Promise<(queue: string) => boolean> {
  const rows = await db.query<{ queue: string }[]>(BUSY, [partition, clockKind]);
  return nearBusy(new Set(rows.map(({ queue }) => queue)));
}

/** A queue at rest. */
export interface Candidate {
  queue: string;
  /** Of the clock: the values that it would enforce. */
  values: QuotaValues;
  notMet: boolean;
}

/** Queues at rest, by queue; pass the last one as `after` for the next page. */
export function queuesAtRest(
  db: DataSource,
  { partition, after, limit }: { partition: string; after: string; limit: number },
): Promise<Candidate[]> {
  return db.query(CANDIDATES, [partition, after, limit]);
}

/** Their clock has applied the quota in force, and they have no pending clock and no run. */
const CANDIDATES = `
  SELECT s.queue, s.state -> 'values' AS values, coalesce((s.state ->> 'notMet')::boolean, false) AS "notMet"
  FROM clocks s
  LEFT JOIN quota_changes c ON c.partition = s.partition AND c.queue = s.queue
  WHERE s.partition = $1 AND s.queue > $2 AND s.running_enforcement IS NULL AND s.state -> 'pending' IS NULL
    AND s.config_version >= coalesce(c.version, 0)
    AND ((s.state #>> '{values,delayMs}')::float8 > 0 AND coalesce(s.state #>> '{values,max}', s.state #>> '{values,maxShare}') IS NOT NULL
         OR (s.state ->> 'notMet')::boolean)
  ORDER BY s.queue LIMIT $3`;

/** How many queues are above their quota. */
export async function countNotMet(db: DataSource, partition: string): Promise<number> {
  const [row] = await db.query<{ count: number }[]>(
    `SELECT count(*)::int AS count FROM clocks WHERE partition = $1 AND (state ->> 'notMet')::boolean`,
    [partition],
  );
  return row!.count;
}

/** A queue at rest whose last run (`after`) fell short. */
export interface Blocked {
  queue: string;
  after: string;
  values: QuotaValues;
}

/** Those queues, by queue. */
export const blockedQueues = (db: DataSource, partition: string): Promise<Blocked[]> =>
  db.query(BLOCKED, [partition]);

/** Queues at rest whose last run fell short, and recorded why: by the index `clocks_blocked`, since few of them have. */
const BLOCKED = `
  SELECT s.queue, s.state #>> '{lastRun,enforcement}' AS after, s.state -> 'values' AS values
  FROM clocks s
  LEFT JOIN quota_changes c ON c.partition = s.partition AND c.queue = s.queue
  WHERE s.partition = $1 AND s.running_enforcement IS NULL AND s.state -> 'pending' IS NULL
    AND s.state #> '{lastRun,blocked}' IS NOT NULL AND s.state #>> '{lastRun,outcome}' IN ('best-effort', 'impossible', 'failed')
    AND (s.state #>> '{values,delayMs}')::float8 > 0 AND s.config_version >= coalesce(c.version, 0)
  ORDER BY s.queue`;

/** Queues whose quota has changed since their clocks applied the last change, and that version, by the version of the change. */
export function queuesBehind(
  db: DataSource,
  { partition, graceMs, limit }: { partition: string; graceMs: number; limit: number },
): Promise<KeyOfStream[]> {
  return db.query(
    `SELECT c.queue AS key, coalesce(s.config_version, 0) AS after
     FROM quota_changes c LEFT JOIN clocks s ON s.partition = c.partition AND s.queue = c.queue
     WHERE c.partition = $1 AND c.version > coalesce(s.config_version, 0)
       AND c.changed_at < clock_timestamp() - make_interval(secs => $2)
     ORDER BY c.version LIMIT $3`,
    [partition, graceMs / 1000, limit],
  );
}

/** The ids of ends of runs that still hold the lock of their queue. The end is the last event of a run, which may have very many. */
export async function endsWithLock(
  db: DataSource,
  { partition, graceMs, limit }: { partition: string; graceMs: number; limit: number },
): Promise<string[]> {
  const rows = await db.query<{ id: string }[]>(
    `SELECT e.id FROM clocks s
     CROSS JOIN LATERAL (SELECT id, type, recorded_at FROM events
                         WHERE stream = $2 || s.running_enforcement ORDER BY version DESC LIMIT 1) e
     WHERE s.partition = $1 AND s.running_enforcement IS NOT NULL AND e.type = $3
       AND e.recorded_at < clock_timestamp() - make_interval(secs => $4)
     ORDER BY s.queue LIMIT $5`,
    [partition, runStream(''), catalog.EnforcementEnded.type, graceMs / 1000, limit],
  );
  return rows.map(({ id }) => id);
}

/** Those of the changes that the consumer of clocks has handled. A dead letter was not applied. */
export function appliedChanges(
  db: DataSource,
  changes: readonly StoredEvent[],
): Promise<{ id: string; queue: string; version: number }[]> {
  return db.query(
    `SELECT e.id, e.queue, e.version
     FROM unnest($1::uuid[], $2::text[], $3::int[], $4::xid8[], $5::bigint[])
            AS e (id, queue, version, transaction_id, position)
     LEFT JOIN subscriptions s ON s.name = $6
     WHERE (EXISTS (SELECT FROM inbox WHERE consumer = $6 AND event_id = e.id)
            OR (e.transaction_id, e.position) <= (s.transaction_id, s.position))
       AND NOT EXISTS (SELECT FROM dead_letters WHERE consumer = $6 AND event_id = e.id)`,
    [
      changes.map(({ id }) => id),
      changes.map(({ key }) => key),
      changes.map(({ version }) => version),
      changes.map(({ transactionId }) => transactionId),
      changes.map(({ position }) => position),
      clockConsumer,
    ],
  );
}

/** The partitions with clocks or a configuration. */
export async function partitionsToCompare(db: DataSource): Promise<string[]> {
  const rows = await db.query<{ partition: string }[]>(
    'SELECT DISTINCT partition FROM clocks UNION SELECT partition FROM partitions ORDER BY partition',
  );
  return rows.map(({ partition }) => partition);
}

/** Queues with a pending timer whose clocks wait for the end of a freeze; pass the last queue as `after` for the next page. */
export async function frozenQueues(
  db: DataSource,
  { partition, after, limit }: { partition: string; after: string; limit: number },
): Promise<string[]> {
  const rows = await db.query<{ queue: string }[]>(
    `SELECT s.queue FROM timers t JOIN clocks s ON s.partition = t.partition AND s.queue = t.name
     WHERE t.kind = $2 AND t.partition = $1 AND t.state = 'pending' AND s.queue > $3
       AND s.state #> '{pending,frozen}' IS NOT NULL
     ORDER BY s.queue LIMIT $4`,
    [partition, clockKind, after, limit],
  );
  return rows.map(({ queue }) => queue);
}

/** Queues whose limit in force is a share of the cluster that their clocks do not have, and that share. */
export function queuesWithNewShare(
  db: DataSource,
  partition: string,
  limit: number,
): Promise<{ queue: string; maxShare: string }[]> {
  return db.query(
    `SELECT q.path AS queue, q.cluster_share ->> 'max' AS "maxShare"
     FROM queues q
     JOIN clocks s ON s.partition = q.partition AND s.queue = q.path
     LEFT JOIN quota_changes c ON c.partition = q.partition AND c.queue = q.path
     WHERE q.partition = $1 AND q.cluster_share ->> 'max' IS DISTINCT FROM s.state #>> '{values,maxShare}'
       AND q.cluster_share ->> 'max' IS NOT NULL AND s.config_version >= coalesce(c.version, 0)
     ORDER BY q.path LIMIT $2`,
    [partition, limit],
  );
}
