import type { DataSource } from 'typeorm';
import type { Tx } from '#event-store';

/*
 * Timers named after queues. They follow the clocks of the queues (`clocks`): a pending clock has a timer of its generation. A due
 * timer waits while a queue above runs, or until the size of the cluster that its limit is a share of is known.
 */

/**
 * Sets timers to pending that were due and waited for a run above that has ended.
 *
 * @returns the partitions of these timers.
 */
export async function resumeBelow(
  tx: Tx,
  kind: string,
  freed: readonly { partition: string; queue: string }[],
): Promise<Set<string>> {
  if (freed.length === 0) return new Set();
  const [rows] = await tx.query<[{ partition: string }[], number]>(
    `UPDATE timers SET state = 'pending'
     FROM unnest($2::text[], $3::text[]) AS freed (partition, queue)
     WHERE timers.kind = $1 AND timers.partition = freed.partition AND timers.state = 'waiting'
       AND timers.name > freed.queue || '.' AND timers.name < freed.queue || '/'
     RETURNING timers.partition`,
    [kind, freed.map(({ partition }) => partition), freed.map(({ queue }) => queue)],
  );
  return new Set(rows.map(({ partition }) => partition));
}

/** `waiting` timers that only wait for the size of the cluster, which their limit is a share of. */
const FOR_SIZE = `
  kind = $1 AND state = 'waiting'
  AND EXISTS (SELECT FROM clocks s WHERE s.partition = timers.partition AND s.queue = timers.name
              AND s.state #>> '{values,maxShare}' IS NOT NULL)
  AND NOT EXISTS (SELECT FROM clocks r WHERE r.partition = timers.partition AND r.running_enforcement IS NOT NULL
                  AND starts_with(timers.name, r.queue || '.'))`;

/** Partitions with due queues that wait until the size of the cluster is known. */
export async function partitionsWaitingForSize(db: DataSource, kind: string): Promise<string[]> {
  const rows = await db.query<{ partition: string }[]>(
    `SELECT DISTINCT partition FROM timers WHERE ${FOR_SIZE} ORDER BY partition`,
    [kind],
  );
  return rows.map(({ partition }) => partition);
}

/** Sets these timers of a partition to pending, once the size is known. */
export async function resumeForSize(db: DataSource, kind: string, partition: string): Promise<void> {
  await db.query(`UPDATE timers SET state = 'pending' WHERE ${FOR_SIZE} AND partition = $2`, [
    kind,
    partition,
  ]);
}

/** Writes the timers of a partition that are missing or differ from their clocks. @returns their number. */
export async function setMissingTimers(db: DataSource, kind: string, partition: string): Promise<number> {
  const written = await db.query<unknown[]>(
    `INSERT INTO timers AS known (kind, partition, name, generation, due_at, state)
     SELECT $2, s.partition, s.queue, p.generation, p.due_at, p.state
     FROM clocks s
     CROSS JOIN LATERAL (
       SELECT (s.state #>> '{pending,generation}')::int AS generation,
              (s.state #>> '{pending,dueAt}')::timestamptz AS due_at,
              CASE WHEN (s.state #>> '{pending,suspended}')::boolean THEN 'suspended' ELSE 'pending' END AS state
       OFFSET 0) p
     LEFT JOIN timers t ON t.kind = $2 AND t.partition = s.partition AND t.name = s.queue
     WHERE s.partition = $1 AND p.generation IS NOT NULL
       AND (t.name IS NULL OR t.generation < p.generation OR t.generation = p.generation
            AND (t.due_at, CASE t.state WHEN 'waiting' THEN 'pending' ELSE t.state END) <> (p.due_at, p.state))
     ON CONFLICT (kind, partition, name) DO UPDATE
       SET generation = excluded.generation, due_at = excluded.due_at, state = excluded.state
       WHERE known.generation <= excluded.generation
     RETURNING 1`,
    [partition, kind],
  );
  return written.length;
}

/** Sets timers of a partition to pending that wait for a run that does not exist. @returns their number. */
export async function resumeUnheld(db: DataSource, kind: string, partition: string): Promise<number> {
  const [, resumed] = await db.query<[unknown, number]>(
    `UPDATE timers t SET state = 'pending'
     WHERE t.kind = $2 AND t.partition = $1 AND t.state = 'waiting'
       AND NOT EXISTS (SELECT FROM clocks r WHERE r.partition = t.partition AND r.running_enforcement IS NOT NULL
                       AND starts_with(t.name, r.queue || '.'))
       -- A queue whose limit is a share of the cluster may wait for its size, which the sweep reads.
       AND NOT EXISTS (SELECT FROM clocks s WHERE s.partition = t.partition AND s.queue = t.name
                       AND s.state #>> '{values,maxShare}' IS NOT NULL)`,
    [partition, kind],
  );
  return resumed;
}

/** Deletes the timers of a partition whose clocks are not pending. @returns their number. */
export async function clearLeftOver(db: DataSource, kind: string, partition: string): Promise<number> {
  const [, removed] = await db.query<[unknown, number]>(
    `DELETE FROM timers t USING clocks s
     WHERE t.kind = $2 AND t.partition = $1 AND s.partition = t.partition AND s.queue = t.name
       AND s.state -> 'pending' IS NULL`,
    [partition, kind],
  );
  return removed;
}

/** A pending timer of a queue that is due soon. */
export interface SoonDue {
  partition: string;
  queue: string;
  /** As text of the database: equal for the same moment. */
  due: string;
  /** From the time of the search. */
  dueInMs: number;
}

/** Pending timers that are due within a time, the first ones first. */
export function soonDue(
  db: DataSource,
  kind: string,
  { withinMs, limit }: { withinMs: number; limit: number },
): Promise<SoonDue[]> {
  return db.query(
    `SELECT partition, name AS queue, due_at::text AS due, extract(epoch FROM due_at - now())::float8 * 1000 AS "dueInMs"
     FROM timers
     WHERE kind = $1 AND state = 'pending' AND due_at > now() AND due_at < now() + make_interval(secs => $2)
     ORDER BY due_at LIMIT $3`,
    [kind, withinMs / 1000, limit],
  );
}

/** Suspended timers of a partition, by name; pass the last one as `after` for the next page. */
export async function suspendedQueues(
  db: DataSource,
  kind: string,
  { partition, after, limit }: { partition: string; after: string; limit: number },
): Promise<string[]> {
  const rows = await db.query<{ name: string }[]>(
    `SELECT name FROM timers WHERE kind = $2 AND partition = $1 AND state = 'suspended' AND name > $3
     ORDER BY name LIMIT $4`,
    [partition, kind, after, limit],
  );
  return rows.map(({ name }) => name);
}
