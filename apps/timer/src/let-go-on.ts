import type { Tx } from '@curtail/event-store';
import { timerKind } from './schedule-session.js';

/**
 * Queues below a run that has ended, which were due and waited for it, are looked at again.
 *
 * @returns the partitions that have such queues.
 */
export async function letGoOn(tx: Tx, freed: { partition: string; queue: string }[]): Promise<Set<string>> {
  if (freed.length === 0) return new Set();
  const [rows]: [{ partition: string }[], number] = await tx.query(
    `UPDATE timers SET state = 'pending'
     FROM unnest($2::text[], $3::text[]) AS freed (partition, queue)
     WHERE timers.kind = $1 AND timers.partition = freed.partition AND timers.state = 'waiting'
       AND timers.name > freed.queue || '.' AND timers.name < freed.queue || '/'
     RETURNING timers.partition`,
    [timerKind, freed.map(({ partition }) => partition), freed.map(({ queue }) => queue)],
  );
  return new Set(rows.map(({ partition }) => partition));
}
