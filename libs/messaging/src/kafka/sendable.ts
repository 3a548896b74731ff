import type { Message } from 'kafkajs';

/** What is needed of an event to send it. */
export interface Sendable {
  topic: string;
  key: string;
  /** JSON; null where the message only refers to it. */
  data: string | null;
}

/** How events become messages. */
export interface Messages<E extends Sendable> {
  of(event: E, options: { replayed?: boolean }): Message;
  /** What is sent in place of an event that is too long for its topic; undefined: nothing can be. */
  shorter(event: E): E | undefined;
}
