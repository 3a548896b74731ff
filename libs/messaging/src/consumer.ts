import { CurtailError, type EventName, type Topic } from '#contracts';
import { catalog, typesOf } from '#contracts/events';
import type { KnownEvent, StoredEvent, Tx } from '#event-store';

/**
 * The changes of a consumer, in the transaction that also marks its events as handled. It may return an action to run
 * after the commit: only a hint, because a crash in between loses it. The changes may also be made for events that were handled before:
 * the transaction is rolled back then, and the action does not run.
 */
export type Effects = (tx: Tx) => Promise<AfterCommit | undefined>;
export type AfterCommit = () => void;

/**
 * A consumer of events. `handle` receives events of one key and topic always in order, and more than that only if
 * requested (`order`). It may read other rows (a cluster, a table) and returns the changes to write; events delivered
 * twice are written once.
 *
 * It may be called again for the same events at any time: only the returned effects may change anything.
 */
export interface Consumer {
  /** The consumer group: each group receives every event once. */
  readonly name: string;
  readonly topics: readonly Topic[];
  /**
   * The types of events that it handles. Absent: all of its topics. Other events are neither passed to it nor recorded
   * for it.
   */
  readonly events?: readonly EventName[];
  /**
   * `log`: it needs the order of commits over all keys and topics. Such a consumer reads the log itself, whatever the
   * bus, and one process at a time does its work. Absent: order within a key and a topic is enough; batches of
   * different keys may be handled at the same time, here or in other processes.
   */
  readonly order?: 'log';
  /** The maximum number of events handled in one transaction. */
  readonly batchSize?: number;
  /**
   * Over Kafka: the maximum length of the messages handled in one transaction, in bytes; absent: any. A longer message is handled alone.
   */
  readonly batchBytes?: number;
  /**
   * The time that events may wait for others after a batch, to share a transaction, in milliseconds; absent: they do
   * not wait. For consumers that nothing else waits for.
   */
  readonly patienceMs?: number;
  /**
   * Over Kafka: the applied offset of each partition of its topics is stored with the effects, for others that must
   * know whether everything on a topic has had its effects (`TopicWatermark`).
   */
  readonly keepsPlaces?: true;
  /** @returns undefined if there is nothing to write: then it may be called again for these events after a crash. */
  handle(events: KnownEvent[]): Promise<Effects | undefined>;
  /**
   * For a consumer with `order: 'log'`: the effects of an event that became a dead letter, although later ones have had theirs. Absent: such
   * an event is handled only in its turn, and only an operator decides about its dead letter.
   */
  handleLate?(event: KnownEvent): Promise<Effects>;
  /**
   * Too many processes have crashed with this event, and this transaction makes it a dead letter. The consequences are
   * written here, with next to no memory. The data of an event that is too long for a message are missing. It may throw
   * UnreadableEvent before it writes.
   */
  givenUp?(tx: Tx, event: StoredEvent, reason: string): Promise<void>;
}

/** Whether dead letters of a consumer can be passed to it again. */
export const takesLetters = ({ order, handleLate }: Pick<Consumer, 'order' | 'handleLate'>): boolean =>
  order !== 'log' || handleLate !== undefined;

/** Not now: the handler waits for another event that is on its way. The event is retried, up to the limit of attempts. */
export class EventNotReady extends CurtailError {
  readonly code = 'event-not-ready';
}

/** A handler cannot decide these events together: those before the place `at` are handled first, then the others. */
export class HandleApart extends CurtailError {
  readonly code = 'handle-apart';

  /** @param at above 0, and below the number of events. */
  constructor(readonly at: number) {
    super(`the first ${at} events are handled before the others`);
  }
}

/**
 * The types of events that a consumer ignores, of those that this build knows: they are not passed to it, and neither
 * read nor marked for it. Unknown types are passed to it, so that they become dead letters with a reason.
 */
export function unwantedTypes({ events }: { events?: readonly EventName[] }): ReadonlySet<string> {
  if (!events) return none;
  return new Set(
    (Object.keys(catalog) as EventName[]).filter((name) => !events.includes(name)).flatMap(typesOf),
  );
}

const none: ReadonlySet<string> = new Set();
