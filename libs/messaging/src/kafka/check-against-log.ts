import type { DataSource } from 'typeorm';
import { readEventsById, type StoredEvent, UnreadableEvent } from '#event-store';
import type { Parked } from '../batch.js';
import { type Delivery, isLogTopic } from './incoming-message.js';

/** A message on a topic of the log that the log does not confirm. */
export interface Forgery {
  delivery: Delivery;
  why: Parked;
}

export interface Checked {
  /** In their order; each carries the event from the log, whatever the message held. */
  due: Delivery[];
  forged: Forgery[];
}

/**
 * Compares messages of one topic with the log. On a topic of the log a message is a pointer: its event is read by id,
 * has to be at the place that the message claims, and has to belong on this topic, under this key, with this type and
 * partition. Everything else, in particular the data, is taken from the log, so that other bytes in the message change
 * nothing. Messages on inbound topics stay unchanged. One statement, whatever the number of messages.
 *
 * @param isDue whether a genuine message has to be handled; the data of others are not read.
 * @param withData false: no data are read.
 */
export async function checkAgainstLog(
  db: DataSource,
  deliveries: Delivery[],
  isDue: (delivery: Delivery) => boolean,
  withData = true,
): Promise<Checked> {
  const isOfLog = deliveries.some(({ event }) => isLogTopic(event.topic));
  if (!isOfLog) return { due: deliveries.filter(isDue), forged: [] };
  const due = new Set(deliveries.filter(isDue));
  const claims = deliveries.filter(({ wrong }) => !wrong);
  const stored = await readEventsById(
    db,
    claims.map(({ event }) => event.id),
    new Set(withData ? claims.filter((claim) => due.has(claim)).map(({ event }) => event.id) : []),
  );
  const checked: Checked = { due: [], forged: [] };
  for (const delivery of deliveries) {
    const event = stored.get(delivery.event.id);
    const wrong = delivery.wrong ?? contradiction(delivery, event);
    if (wrong) checked.forged.push({ delivery, why: { reason: wrong.message, field: wrong.field } });
    // A copy for each: one event may be delivered twice in a batch.
    else if (due.has(delivery)) checked.due.push({ ...delivery, event: { ...event! } });
  }
  return checked;
}

function contradiction(
  { event: claimed, message }: Delivery,
  stored: StoredEvent | undefined,
): UnreadableEvent | undefined {
  const { id, topic } = claimed;
  if (!stored) {
    return new UnreadableEvent(
      `event ${id} is not in the log of Curtail, and only its log belongs on ${topic}`,
      'ce_id',
    );
  }
  const same: [field: string, isSame: boolean][] = [
    ['ce_transactionid', claimed.transactionId === stored.transactionId],
    ['ce_position', claimed.position === stored.position],
    ['topic', topic === stored.topic],
    ['ce_type', claimed.type === stored.type],
    ['ce_partition', claimed.partition === stored.partition],
    ['key', message.key?.toString() === stored.key],
  ];
  const field = same.find(([, isSame]) => !isSame)?.[0];
  if (field === undefined) return undefined;
  return new UnreadableEvent(
    `event ${id} is in the log of Curtail with another ${field} than this message has`,
    field,
  );
}
