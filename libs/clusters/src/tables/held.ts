import type { DataSource } from 'typeorm';
import type { Tx } from '#event-store';
import { inSubtree } from './subtree.js';

/**
 * How many allocations are in each queue and below it; queues without any are missing.
 *
 * @param isThere SQL that is true for those that are not gone; its parameters begin with $3.
 */
export async function allocationsHeld(
  db: DataSource | Tx,
  { table, isThere }: { table: 'simulated_allocations' | 'inventory_allocations'; isThere: string },
  partition: string,
  queues: readonly string[],
  ...parameters: readonly unknown[]
): Promise<Map<string, number>> {
  if (queues.length === 0) return new Map();
  const rows = await db.query<{ queue: string; allocations: number }[]>(
    `SELECT q.queue, held.allocations FROM unnest($2::text[]) AS q (queue), LATERAL (
       SELECT count(*)::int AS allocations FROM ${table} a
       WHERE a.partition = $1 AND ${inSubtree('a.queue', 'q.queue')} AND ${isThere}) AS held
     WHERE held.allocations > 0`,
    [partition, queues, ...parameters],
  );
  return new Map(rows.map(({ queue, allocations }) => [queue, allocations]));
}
