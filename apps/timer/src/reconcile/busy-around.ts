import type { DataSource } from 'typeorm';
import { ancestors, clockKind } from '#contracts';

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
