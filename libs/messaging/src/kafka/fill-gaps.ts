import { counted } from '@curtail/contracts';
import { type Cursor, NewerEvent, readEventsById, type StoredEvent } from '@curtail/event-store';
import { type BatchWork, handleBatch } from '../batch.js';
import type { RedeliveryLease } from '../redelivery-lease.js';
import type { Waits } from '../waits.js';
import { type FromLog, workFromLog } from '../work-from-log.js';
import { AskPositions } from './ask-positions.js';
import { destinationOf } from './destination.js';
import { type GroupPosition, hasRead, whatHappened } from './group-position.js';
import type { HandledPlace, UnhandledEvent } from './handled-place.js';
import type { KafkaConnection } from './open-kafka.js';
import { publishedUpTo } from './relay-lease.js';

/** Events that Kafka never brought to a consumer, and that it got from the log. */
export interface FilledGap {
  /** As the brokers call it. */
  topic: string;
  events: number;
  /** Of the first of them. */
  from: Date;
  /** A report of the loss, as far as it can be seen, and the remedy. */
  message: string;
}

export interface FillGapsOptions extends FromLog {
  connection: KafkaConnection;
  /** Advanced by the caller of `check`. */
  place: HandledPlace;
  /** Shared with whatever else hands events from the log to this consumer in this process. */
  lease: RedeliveryLease;
  /** Told of a gap that begins with a newer event. */
  waits: Waits;
  onFilled: (gap: FilledGap) => void;
}

const eventsAtOnce = 1000;
/** Where a gap is that waits. */
const inLog = 'the log';
/** Of one transaction; stored size of their data. */
const batch = { events: 200, bytes: 4 * 1024 * 1024 };

/**
 * Gives a consumer from the log what Kafka has lost: topics that were deleted, emptied or created again, offsets that were moved,
 * messages that a broker acknowledged and forgot.
 *
 * An event is a gap when it is published (the relay's cursor is behind it), the consumer wants it and has not handled it, and
 * Kafka has no more to bring: all that stood on the topics after the cursor was read has been read by the group, or is not there
 * any more. A message that was read is marked before its offset is committed, so one without a mark then will never come.
 *
 * Gaps are filled in the order of the log, as every batch is handled: an event that Kafka does bring after all is already marked. Events
 * of its key that stand behind a gap may have been handled before it; a handler compares what it is given with what it knows.
 */
export class FillGaps {
  private readonly lease: RedeliveryLease;
  private readonly positions: AskPositions;
  private destination: string | undefined;
  private readonly work: BatchWork;
  /** The events published at a moment, and the ends of all partitions after it. */
  private measured: { upTo: Cursor; position: GroupPosition } | undefined;
  /** The state of the topics at the last check. */
  private last: GroupPosition = new Map();

  constructor(private readonly options: FillGapsOptions) {
    const { connection, consumer, lease } = options;
    this.lease = lease;
    this.positions = new AskPositions(connection, consumer);
    this.work = workFromLog(options);
  }

  /**
   * Finds gaps, and fills them if nothing can come any more: a gap found by one check is filled by a later one, when the group
   * has read so far.
   *
   * @throws errors of the brokers and the database; the next check continues.
   */
  async check(): Promise<void> {
    const { database, connection, place } = this.options;
    this.destination ??= await destinationOf(connection);
    const published = await publishedUpTo(database, this.destination);
    if (!published || (await place.unhandled(place.at, published, 1)).length === 0) {
      this.measured = undefined;
      this.options.waits.over(inLog);
      return;
    }
    if (!(await this.lease.take())) return;
    const now = await this.positions.now();
    // After the relay's cursor was read: whatever it had published by then lies before these ends.
    this.measured ??= { upTo: published, position: now };
    if (hasRead(this.measured.position, now)) {
      await this.fillOrWait(this.measured.upTo, now);
      this.measured = undefined;
    }
    this.last = now;
  }

  async stop(): Promise<void> {
    await this.positions.close();
    await this.lease.giveUp().catch(this.options.onError);
  }

  /** A newer event is left to a process that knows it. */
  private async fillOrWait(upTo: Cursor, now: GroupPosition): Promise<void> {
    const { waits } = this.options;
    try {
      await this.fill(upTo, now);
      waits.over(inLog);
    } catch (error) {
      if (!(error instanceof NewerEvent)) throw error;
      waits.begin(inLog, error);
      await this.lease.giveUp();
    }
  }

  private async fill(upTo: Cursor, now: GroupPosition): Promise<void> {
    const gaps = new Map<string, { events: number; from: Date }>();
    try {
      for (let after = this.options.place.at; ; ) {
        const found = await this.options.place.unhandled(after, upTo, eventsAtOnce);
        for (const some of inBatches(found, this.options.consumer.batchSize)) {
          if (this.options.signal.aborted || !(await this.lease.take())) return;
          for (const { topic, time } of await this.redeliver(some)) {
            const gap = gaps.get(topic) ?? { events: 0, from: time };
            gaps.set(topic, { events: gap.events + 1, from: gap.from });
          }
        }
        if (found.length < eventsAtOnce) return;
        after = found.at(-1)!;
      }
    } finally {
      for (const [topic, gap] of gaps) this.tell(topic, gap, now);
    }
  }

  private async redeliver(some: readonly UnhandledEvent[]): Promise<StoredEvent[]> {
    const { database } = this.options;
    const ids = some.map(({ id }) => id);
    const stored = await readEventsById(database, ids, new Set(ids));
    const events = ids.flatMap((id) => stored.get(id) ?? []);
    await this.lease.during(() => handleBatch(this.work, events));
    return events;
  }

  private tell(topic: string, gap: { events: number; from: Date }, now: GroupPosition): void {
    const { connection, consumer, onFilled } = this.options;
    const name = connection.topicName(topic);
    const group = connection.groupName(consumer.name);
    const happened = sentences[whatHappened(name, this.last, now)](name, group);
    const from = gap.from.toISOString();
    onFilled({
      ...gap,
      topic: name,
      message:
        `${counted(gap.events, 'event')} since ${from} did not come over ${name}: ${happened}. ` +
        `Curtail needs nothing more. If others read ${name}, send it to them again: curtail republish --topic ${topic} --from ${from}`,
    });
  }
}

const sentences: Record<ReturnType<typeof whatHappened>, (topic: string, group: string) => string> = {
  missing: (topic) => `the topic ${topic} does not exist any more`,
  'created-again': (topic) => `the topic ${topic} was deleted and created again`,
  skipped: (topic, group) =>
    `messages of ${topic} were deleted before they were read, with the topic or without it, or the offsets of the group ${group} were ` +
    'moved, or the brokers have lost messages',
};

function inBatches(events: readonly UnhandledEvent[], most = batch.events): UnhandledEvent[][] {
  const batches: UnhandledEvent[][] = [];
  let bytes = 0;
  for (const event of events) {
    const last = batches.at(-1);
    bytes += event.bytes;
    if (last && last.length < most && bytes <= batch.bytes) {
      last.push(event);
    } else {
      batches.push([event]);
      bytes = event.bytes;
    }
  }
  return batches;
}
