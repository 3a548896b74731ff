import type { DataSource } from 'typeorm';
import { ancestors, clockKind, type QuotaValues } from '#contracts';

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
  const busy = new Set(rows.map(({ queue }) => queue));
  const aboveBusy = new Set([...busy].flatMap(ancestors));
  return (queue) => aboveBusy.has(queue) || ancestors(queue).some((above) => busy.has(above));
}

export interface Candidate {
  queue: string;
  /** Of the clock: the values that it would enforce. */
  values: QuotaValues;
  notMet: boolean;
}

/** Queues at rest: their clock has applied the quota in force, and they have no pending clock and no run. */
export const CANDIDATES = `
  SELECT s.queue, s.state -> 'values' AS values, coalesce((s.state ->> 'notMet')::boolean, false) AS "notMet"
  FROM clocks s
  LEFT JOIN quota_changes c ON c.partition = s.partition AND c.queue = s.queue
  WHERE s.partition = $1 AND s.queue > $2 AND s.running_enforcement IS NULL AND s.state -> 'pending' IS NULL
    AND s.config_version >= coalesce(c.version, 0)
    AND ((s.state #>> '{values,delayMs}')::float8 > 0 AND coalesce(s.state #>> '{values,max}', s.state #>> '{values,maxShare}') IS NOT NULL
         OR (s.state ->> 'notMet')::boolean)
  ORDER BY s.queue LIMIT $3`;

export interface Blocked {
  queue: string;
  after: string;
  values: QuotaValues;
}

/** Queues at rest whose last run fell short, and recorded why: by the index `clocks_blocked`, since few of them have. */
export const BLOCKED = `
  SELECT s.queue, s.state #>> '{lastRun,enforcement}' AS after, s.state -> 'values' AS values
  FROM clocks s
  LEFT JOIN quota_changes c ON c.partition = s.partition AND c.queue = s.queue
  WHERE s.partition = $1 AND s.running_enforcement IS NULL AND s.state -> 'pending' IS NULL
    AND s.state #> '{lastRun,blocked}' IS NOT NULL AND s.state #>> '{lastRun,outcome}' IN ('best-effort', 'impossible', 'failed')
    AND (s.state #>> '{values,delayMs}')::float8 > 0 AND s.config_version >= coalesce(c.version, 0)
  ORDER BY s.queue`;
