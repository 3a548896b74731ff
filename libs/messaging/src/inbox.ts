import type { Tx } from '@curtail/event-store';
import type { DataSource } from 'typeorm';

/**
 * Marks events as handled by a consumer, inside the transaction of their effects.
 *
 * @returns the ids that were not marked before: only their effects may be written.
 */
export async function markHandled(tx: Tx, consumer: string, ids: string[]): Promise<Set<string>> {
  const rows: { event_id: string }[] = await tx.query(
    `INSERT INTO inbox (consumer, event_id) SELECT $1, unnest($2::uuid[])
     ON CONFLICT DO NOTHING RETURNING event_id`,
    [consumer, ids],
  );
  return new Set(rows.map((row) => row.event_id));
}

export async function isHandled(tx: Tx, consumer: string, id: string): Promise<boolean> {
  const rows: unknown[] = await tx.query('SELECT 1 FROM inbox WHERE consumer = $1 AND event_id = $2', [
    consumer,
    id,
  ]);
  return rows.length > 0;
}

/**
 * Forgets marks that are older than any redelivery can be, the oldest first.
 *
 * @returns how many there were; a number below `limit` says that none is left. Call it again until then.
 */
export async function trimInbox(db: Tx | DataSource, olderThanDays: number, limit = 5000): Promise<number> {
  const [, trimmed]: [unknown, number] = await db.query(
    `DELETE FROM inbox WHERE (consumer, event_id) IN (
       SELECT consumer, event_id FROM inbox
       WHERE handled_at < now() - make_interval(days => $1) ORDER BY handled_at LIMIT $2
       FOR UPDATE SKIP LOCKED)`,
    [olderThanDays, limit],
  );
  return trimmed;
}
