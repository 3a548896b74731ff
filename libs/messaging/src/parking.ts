import type { StoredEvent, Tx } from '@curtail/event-store';

/** Where a message stood: `curtail.plans/3@1204`, topic, partition and offset. */
export type Origin = string | undefined;

/** Puts an event aside that a consumer cannot handle, with the reason; its neighbours go on. */
export async function park(
  tx: Tx,
  consumer: string,
  event: Pick<StoredEvent, 'id' | 'topic' | 'key' | 'type' | 'source'>,
  why: { reason: string; field?: string },
  origin?: Origin,
): Promise<void> {
  await tx.query(
    `INSERT INTO dead_letters (consumer, event_id, topic, key, type, reason, field, source, origin)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING`,
    [
      consumer,
      event.id,
      event.topic,
      event.key,
      event.type,
      why.reason.slice(0, 2000),
      why.field?.slice(0, 500) ?? null,
      event.source?.slice(0, 500) ?? null,
      origin ?? null,
    ],
  );
}
