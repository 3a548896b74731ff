import { counted } from '#contracts';
import { beginning, type Cursor, NewerEvent, readEventsById, type StoredEvent } from '#event-store';
import { type BatchWork, handleBatch } from '../batch.js';
import type { RedeliveryLease } from '../redelivery-lease.js';
import type { Waits } from '../waits.js';
import { type FromLog, workFromLog } from '../work-from-log.js';
import { AskPositions, type GroupPosition, hasRead, whatHappened } from './ask-positions.js';
import type { HandledPlace, UnhandledEvent } from './handled-place.js';
import type { KafkaConnection } from './open-kafka.js';

/** Events that Kafka never delivered to a consumer, and that it read from the log. */
export interface FilledGap {
  /** The name for the brokers. */
  topic: string;
  events: number;
  /** Of the first of them. */
  from: Date;
  /** A report of the loss, as far as known, and the remedy. */
  message: string;
}

export interface FillGapsOptions extends FromLog {
  connection: KafkaConnection;
  place: HandledPlace;
  /** Shared with the other parts of this process that deliver events from the log to this consumer. */
  lease: RedeliveryLease;
  /** Notified of a gap that begins with a newer event. */
  waits: Waits;
  onFilled: (gap: FilledGap) => void;
}

const eventsAtOnce = 1000;
/** The place of a waiting gap. */
const inLog = 'the log';
/** Of one transaction; stored size of their data. */
const batch = { events: 200, bytes: 4 * 1024 * 1024 };

/**
 * Delivers events from the log to a consumer that Kafka has lost: topics that were deleted, emptied or recreated,
 * offsets that were moved, messages that a broker acknowledged and lost.
 *
 * An event is a gap when it is published (the relay's cursor is after it), the consumer handles its type and has not
 * handled it, and Kafka has nothing more to deliver: everything on the topics after the cursor was read has been read
 * by the group, or no longer exists. A message that was read is marked before its offset is committed, so one without a
 * mark then will never arrive.
 *
 * Gaps are filled in the order of the log, like every batch: an event that Kafka does deliver after all is already
 * marked. Events of its key after a gap may have been handled before it; a handler compares events with its state.
 */
export class FillGaps {
  private readonly lease: RedeliveryLease;
  private readonly positions: AskPositions;
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
   * Moves the place over what is handled, finds gaps, and fills them if nothing more can arrive: a gap found by one check is filled by a
   * later one, when the group has read up to it. While nothing is published, it needs no statement.
   *
   * @param published the place up to which the relay has published by now; undefined: it has published nothing.
   * @throws errors of the brokers and the database; the next check continues.
   */
  async check(published: Cursor | undefined): Promise<void> {
    if (!published || (await this.isHandled(published))) {
      this.measured = undefined;
      this.options.waits.over(inLog);
      return;
    }
    if (!(await this.lease.take())) return;
    const now = await this.positions.now();
    // After the relay's cursor was read: everything that it had published by then is before these ends.
    this.measured ??= { upTo: published, position: now };
    if (hasRead(this.measured.position, now)) {
      await this.fillOrWait(this.measured.upTo, now);
      this.measured = undefined;
    }
    this.last = now;
  }

  private async isHandled(published: Cursor): Promise<boolean> {
    const { place } = this.options;
    if (isBeginning(published) || place.covers(published)) return true;
    while (await place.advance());
    return place.covers(published) || (await place.unhandled(place.at, published, 1)).length === 0;
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
      for (const [topic, gap] of gaps) this.report(topic, gap, now);
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

  private report(topic: string, gap: { events: number; from: Date }, now: GroupPosition): void {
    const { connection, consumer, onFilled } = this.options;
    const name = connection.topicName(topic);
    const group = connection.groupName(consumer.name);
    const happened = sentences[whatHappened(name, this.last, now)](name, group);
    const from = gap.from.toISOString();
    onFilled({
      ...gap,
      topic: name,
      message:
        `${counted(gap.events, 'event')} since ${from} ${gap.events === 1 ? 'was' : 'were'} not delivered by ${name}: ${happened}. ` +
        `Curtail needs nothing more. If others read ${name}, send it to them again: curtail republish --topic ${topic} --from ${from}`,
    });
  }
}

/** The row of a relay begins there: nothing was published. */
const isBeginning = ({ transactionId }: Cursor): boolean => transactionId === beginning.transactionId;

const sentences: Record<ReturnType<typeof whatHappened>, (topic: string, group: string) => string> = {
  missing: (topic) => `the topic ${topic} no longer exists`,
  'created-again': (topic) => `the topic ${topic} was deleted and recreated`,
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
