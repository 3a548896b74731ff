import { type Outgoing, rootTrace } from '@curtail/event-store';
import type { Message } from 'kafkajs';

/** The CloudEvents source of what Curtail publishes of a partition. */
export const sourceOf = (partition: string) => `/curtail/${encodeURIComponent(partition)}`;

/**
 * An event as a message: CloudEvents 1.0, binary mode (docs/operations.md, "Kafka: messages"). The value is the exact text
 * that stands in the log.
 *
 * @param replayed it is sent once more on demand; Curtail's own consumers leave it alone.
 */
export function messageOf(event: Outgoing, { replayed = false } = {}): Message {
  const { traceparent = null, tracestate = null } = event.traceparent ? event : rootTrace(event.id);
  return {
    key: event.key,
    value: event.data,
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
      ...(replayed ? { ce_replayed: 'true' } : {}),
      ...(traceparent ? { traceparent } : {}),
      ...(tracestate ? { tracestate } : {}),
      'content-type': 'application/json',
    },
  };
}

/** Bytes that a message takes on its way, about. */
export function sizeOf({ data, key }: Pick<Outgoing, 'data' | 'key'>): number {
  return Buffer.byteLength(data) + key.length + 1000;
}
