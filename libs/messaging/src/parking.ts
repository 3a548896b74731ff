import type { StoredEvent, Tx } from '@curtail/event-store';

/** Puts an event aside that a consumer cannot handle, with the reason; its neighbours go on. */
export async function park(tx: Tx, consumer: string, event: StoredEvent, reason: string): Promise<void> {
  await tx.query(
    `INSERT INTO dead_letters (consumer, event_id, topic, key, type, reason)
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
    [consumer, event.id, event.topic, event.key, event.type, reason.slice(0, 2000)],
  );
}
