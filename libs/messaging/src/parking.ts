import type { StoredEvent, Tx } from '@curtail/event-store';

/** Where a message stood: `curtail.plans/3@1204`, topic, partition and offset. */
export type Origin = string | undefined;

/**
 * Puts an event aside that a consumer cannot handle, with the reason; its neighbours go on.
 *
 * @returns whether it was not put aside before.
 */
export async function park(
  tx: Tx,
  consumer: string,
  event: Pick<StoredEvent, 'id' | 'topic' | 'key' | 'type' | 'source'>,
  why: { reason: string; field?: string },
  origin?: Origin,
): Promise<boolean> {
  const rows: unknown[] = await tx.query(
    `INSERT INTO dead_letters (consumer, event_id, topic, key, type, reason, field, source, origin)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING RETURNING 1`,
    [
      consumer,
      event.id,
      event.topic,
      storable(event.key, longest.key),
      storable(event.type, longest.name),
      storable(why.reason, longest.reason),
      why.field === undefined ? null : storable(why.field, longest.name),
      event.source === undefined ? null : storable(event.source, longest.name),
      origin ?? null,
    ],
  );
  return rows.length > 0;
}

/** Whether an event was put aside for a consumer. */
export async function isParked(tx: Tx, consumer: string, id: string): Promise<boolean> {
  const rows: unknown[] = await tx.query('SELECT 1 FROM dead_letters WHERE consumer = $1 AND event_id = $2', [
    consumer,
    id,
  ]);
  return rows.length > 0;
}

const longest = { key: 2000, name: 500, reason: 2000 };

/** Outsiders send any bytes. What the database would refuse must not be what an event cannot be put aside for. */
function storable(text: string, length: number): string {
  return text.slice(0, length).replaceAll('\0', '\ufffd');
}
