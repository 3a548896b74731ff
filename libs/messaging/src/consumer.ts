import type { EventName, Topic } from '@curtail/contracts';
import { CurtailError } from '@curtail/contracts';
import type { KnownEvent, StoredEvent, Tx } from '@curtail/event-store';

/**
 * The changes of a consumer, in the transaction that also marks its events as handled. It may return an action for the time
 * after the commit: a hint, never a truth, for a crash in between loses it.
 */
export type Effects = (tx: Tx) => Promise<AfterCommit | undefined>;
export type AfterCommit = () => void;

/**
 * A consumer of events. `handle` gets events of one key and topic always in order; more than that only if it asks for it
 * (`order`). It may read other rows
 * (a cluster, a table) and returns what is to be written; twice delivered is once written.
 *
 * It may be called again for the same events at any time: nothing outside the returned effects may change anything.
 */
export interface Consumer {
  /** The consumer group: each group gets every event once. */
  readonly name: string;
  readonly topics: readonly Topic[];
  /** Those of its topics' events that it wants. Absent: all. Of others it receives nothing, and nothing is kept. */
  readonly events?: readonly EventName[];
  /**
   * `log`: it needs the order of commits over all keys and topics. Such a consumer reads the log itself, whatever the bus is,
   * and one process at a time does its work. Absent: order within a key and a topic is enough; batches of different keys may
   * be handled at the same time, here or in other processes.
   */
  readonly order?: 'log';
  /** Events handled in one transaction, at the most. */
  readonly batchSize?: number;
  /**
   * How long after a batch events may wait for others, so that they share a transaction, in milliseconds; absent: they do not
   * wait. For consumers that nothing else waits for.
   */
  readonly patienceMs?: number;
  /**
   * Over Kafka: how far each partition of its topics is applied is stored with the effects, for others who must know whether
   * everything on a topic has had its effects (`TopicWatermark`).
   */
  readonly keepsPlaces?: true;
  /** @returns undefined if nothing is to be written: then it may be asked again for these events after a crash. */
  handle(events: KnownEvent[]): Promise<Effects | undefined>;
  /**
   * Too many processes have ended with this event, and it is put aside in this transaction. Consequences are written here; it
   * must need next to no memory. The data of an event that is too long for a message are not there. It may throw UnreadableEvent
   * before it writes.
   */
  givenUp?(tx: Tx, event: StoredEvent, reason: string): Promise<void>;
}

/** Not now: what the handler waits for is on its way. The event is tried again, up to the limit of tries. */
export class EventNotReady extends CurtailError {
  readonly code = 'event-not-ready';
}
