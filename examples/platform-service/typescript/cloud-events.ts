import { randomUUID } from 'node:crypto';
import type { KafkaMessage, Message } from 'kafkajs';

/** A CloudEvent in binary mode: attributes in headers, data as JSON. */
export function cloudEvent(
  source: string,
  type: string,
  key: string,
  data: object,
): Message & { id: string } {
  const id = randomUUID();
  const headers = {
    ce_specversion: '1.0',
    ce_id: id,
    ce_source: source,
    ce_type: type,
    ce_time: new Date().toISOString(),
    'content-type': 'application/json',
  };
  return { id, key, value: JSON.stringify(data), headers };
}

export interface Received<T> {
  type: string;
  /** The sender's id of the event. */
  id: string;
  source: string;
  /** An old event that is sent again for another service: do not act on it. */
  replayed: boolean;
  header(name: string): string | undefined;
  /** @throws SyntaxError if the value is not JSON, which may happen on the dead-letter topic. */
  data(): T;
}

export function received<T>(message: KafkaMessage): Received<T> {
  const header = (name: string) => message.headers?.[name]?.toString();
  return {
    type: header('ce_type') ?? '',
    id: header('ce_id') ?? '',
    source: header('ce_source') ?? '',
    replayed: header('ce_replayed') === 'true',
    header,
    data: () => JSON.parse(message.value?.toString() ?? ''),
  };
}
