import type { Message } from 'kafkajs';
import { type Outgoing, rootTrace } from '#event-store';

/** The parts of an event that sending needs. */
export interface Sendable {
  topic: string;
  key: string;
  /** JSON; null if the message only refers to it. */
  data: string | null;
}

/** Converts events to messages. */
export interface Messages<E extends Sendable> {
  of(event: E, options: { replayed?: boolean }): Message;
  /** The replacement for an event that is too long for its topic; undefined: there is none. */
  shorter(event: E): E | undefined;
}

/** The CloudEvents source of Curtail's events of a partition. */
export const sourceOf = (partition: string) => `/curtail/${encodeURIComponent(partition)}`;

/** The address in the console of the data of an event that its message does not carry. */
const dataRefOf = (id: string) => `/v1/events/${id}`;

/**
 * An event as a message: CloudEvents 1.0, binary mode (docs/how-to/kafka.md, "Messages"). The value is the exact text
 * in the log. Data that are too long for a message stay there: the message has their address (CloudEvents `dataref`).
 *
 * @param replayed it is republished on demand; Curtail's own consumers ignore it.
 */
export function messageOf(event: Outgoing, { replayed = false } = {}): Message {
  const { traceparent = null, tracestate = null } = event.traceparent ? event : rootTrace(event.id);
  return {
    key: event.key,
    value: event.data ?? JSON.stringify({ dataref: dataRefOf(event.id) }),
    headers: {
      ce_specversion: '1.0',
      ce_id: event.id,
      ce_type: event.type,
      ce_source: sourceOf(event.partition),
      ce_time: event.time.toISOString(),
      ce_subject: event.key,
      ce_partition: event.partition,
      ce_stream: event.stream,
      ce_version: String(event.version),
      ce_transactionid: event.transactionId,
      ce_position: event.position,
      ...(event.data === null ? { ce_dataref: dataRefOf(event.id) } : {}),
      ce_schemaversion: String(event.schemaVersion ?? 1),
      ...(replayed ? { ce_replayed: 'true' } : {}),
      ...(traceparent ? { traceparent } : {}),
      ...(tracestate ? { tracestate } : {}),
      'content-type': 'application/json',
    },
  };
}

/** The approximate size of a message in transit, in bytes. */
export function sizeOf({ data, key }: Pick<Outgoing, 'data' | 'key'>): number {
  return Buffer.byteLength(data ?? '') + key.length + 1000;
}

/** Events of the log; if a topic does not accept their data, the message refers to them. */
export const logMessages: Messages<Outgoing> = {
  of: messageOf,
  shorter: (event) => (event.data === null ? undefined : { ...event, data: null }),
};
