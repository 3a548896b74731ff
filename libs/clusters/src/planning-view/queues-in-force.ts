import type { Resources } from '@curtail/contracts';
import type { DataSource, EntityManager } from 'typeorm';

/** What the configuration in force says of a queue. */
export interface QueueInForce {
  path: string;
  max: Resources | null;
  guaranteed: Resources | null;
  delayMs: number;
  parent: boolean;
}

/** A queue and all its ancestors, root first: `root.a.b` → `root`, `root.a`, `root.a.b`. */
export function chainOf(path: string): string[] {
  const parts = path.split('.');
  return parts.map((_, index) => parts.slice(0, index + 1).join('.'));
}

/** The queues of the configuration in force: a queue, its chain and everything below it; without `queue` all. */
export async function queuesInForce(
  db: DataSource | EntityManager,
  partition: string,
  queue?: string,
): Promise<QueueInForce[]> {
  // '/' is the character after '.', and the column sorts by bytes: a range finds all that is below.
  return db.query(
    `SELECT path, max, guaranteed, delay_ms::float8 AS "delayMs", parent FROM queues
     WHERE partition = $1
       AND ($2::text IS NULL OR path = ANY ($3::text[]) OR (path >= $2 || '.' AND path < $2 || '/'))
     ORDER BY path`,
    [partition, queue ?? null, queue === undefined ? [] : chainOf(queue)],
  );
}
