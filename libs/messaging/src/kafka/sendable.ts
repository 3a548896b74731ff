import type { Message } from 'kafkajs';

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
