import { setTimeout as delay } from 'node:timers/promises';
import type { Batch, EachBatchPayload } from 'kafkajs';
import type { DataSource } from 'typeorm';
import { CurtailError, pauseAfter, type Topic } from '#contracts';
import { NewerEvent, type StoredEvent } from '#event-store';
import type { CheckSenders } from '#platform';
import { Attempts } from '../attempts.js';
import { type BatchWork, handleBatch, triesOfLongWait } from '../batch.js';
import { type Consumer, unwantedTypes } from '../consumer.js';
import { isParked, park } from '../dead-letter-table.js';
import type { ForgedMessage } from '../event-bus.js';
import { EventNotInLog, handledOf, isHandled, markHandled } from '../inbox.js';
import { Patience } from '../patience.js';
import type { Waits } from '../waits.js';
import type { AppliedPlaces, Fetched } from './applied-places.js';
import { type Checked, checkAgainstLog, type Forgery } from './check-against-log.js';
import type { DeadLetterTopic } from './dead-letters.js';
import type { HandledPlace } from './handled-place.js';
import { Heartbeats } from './heartbeats.js';
import {
  type Delivery,
  deliveryOf,
  isLogTopic,
  isReference,
  readDelivery,
  stableId,
  textHeadersOf,
  typeOf,
  unreadableWhole,
} from './incoming-message.js';
import { mustRejoin } from './kafka-trouble.js';
import { OffsetCommits } from './offset-commits.js';
import type { KafkaConnection } from './open-kafka.js';

export interface PartitionBatchesOptions {
  database: DataSource;
  connection: KafkaConnection;
  consumer: Consumer;
  place: HandledPlace;
  deadLetters: DeadLetterTopic;
  /** Of a consumer that keeps its places. */
  places?: AppliedPlaces | undefined;
  /** Absent: every writer to a topic of outsiders is believed. */
  checkSenders?: CheckSenders | undefined;
  /** The places at which the consumer waits for a process of a newer release. */
  waits: Waits;
  /** @param forged set if it is not in the log, although only the log's events belong on its topic. */
  onParked: (event: StoredEvent, reason: string, forged?: ForgedMessage) => void;
  onError: (error: Error) => void;
  /** The broker rejected an offset commit: the batch is redelivered, and deduplicated. */
  onRefusedCommit: (error: Error) => void;
}

/** Not now: the partition is paused for a while, and the others proceed. */
class PartitionPaused extends CurtailError {
  readonly code = 'partition-paused';
  constructor(readonly ms: number) {
    super(`again in ${ms} ms`);
  }
}

/** Consecutive messages, with at most as many relevant ones as fit into a transaction. */
interface Chunk {
  wanted: Delivery[];
  /** Their number, relevant or not. */
  messages: number;
  lastOffset: string;
}

const batchSize = 200;
const backOffMs = { first: 100, longest: 1000 };
/**
 * An event that waits for another one is tried again in place for as long: a paused partition is fetched again only when the broker has answered the
 * fetch under way, which it does after a second where nothing else comes (`maxWaitMs`).
 */
const longestInPlaceMs = 100;
/** The interval at which an event is checked again that this process does not know. */
const waitMs = 1000;

/**
 * Handles the fetches of the client, one partition after the other, several at the same time. No error of a handler
 * reaches the client, which would be dead permanently after some errors and repeat the batch endlessly after others: if
 * a batch cannot proceed, its partition is paused, and fetched again when the pause is over.
 *
 * Offsets are committed after the database (OffsetCommits), and only by the commit of the batch: if the consumer's own
 * commit were refused, the consumer would end.
 */
export class PartitionBatches {
  private readonly attempts: Attempts;
  /** By topic and partition: consecutive failures that no event caused. */
  private readonly failures = new Map<string, number>();
  private readonly resumes = new Map<NodeJS.Timeout, () => void>();
  private readonly commits: OffsetCommits;
  private readonly unwanted: ReadonlySet<string>;
  private readonly patience: Patience;
  private readonly stopped = new AbortController();

  constructor(private readonly options: PartitionBatchesOptions) {
    const { database, consumer, onRefusedCommit } = options;
    this.unwanted = unwantedTypes(consumer);
    this.attempts = new Attempts(database, consumer.name);
    this.patience = new Patience(consumer);
    this.commits = new OffsetCommits({
      // The place in the log moves over marked events.
      mark: (events) => markHandled(database.manager, consumer.name, events).catch(exceptLost),
      onRefused: onRefusedCommit,
    });
  }

  /** The group has a new generation: this member may have other partitions by now. */
  joined(): void {
    this.commits.forget();
    this.attempts.beCareful();
    this.options.waits.clear();
  }

  /** Batches end after their current transaction. */
  stop(): void {
    this.stopped.abort();
    this.commits.stop();
    for (const timer of this.resumes.keys()) clearTimeout(timer);
    this.resumes.clear();
  }

  async handle(payload: EachBatchPayload): Promise<void> {
    const { batch } = payload;
    const { waits } = this.options;
    const where = `${batch.topic}/${batch.partition}`;
    const heartbeats = new Heartbeats(
      payload.heartbeat,
      this.options.connection.patience.heartbeatIntervalMs,
    );
    try {
      await this.handleInChunks(payload, heartbeats);
      this.failures.delete(where);
      waits.over(where);
      await this.waitForMore(batch.messages.length);
    } catch (error) {
      if (mustRejoin(error)) throw error;
      this.pausePartition(payload, this.pauseMs(where, error as Error));
    } finally {
      heartbeats.stop();
    }
  }

  /** The next fetch begins when all batches of this one have ended. */
  private async waitForMore(messages: number): Promise<void> {
    this.patience.noteBatch(messages >= this.size);
    const ms = this.patience.waitMs;
    if (ms > 0) await delay(ms, undefined, { signal: this.stopped.signal }).catch(() => {});
  }

  private get stopping(): boolean {
    return this.stopped.signal.aborted;
  }

  /** The maximum number of events handled in one transaction. */
  private get size(): number {
    return this.options.consumer.batchSize ?? batchSize;
  }

  private async handleInChunks(payload: EachBatchPayload, heartbeats: Heartbeats): Promise<void> {
    const { batch } = payload;
    for (let from = 0; from < batch.messages.length && !this.isOver(payload); ) {
      const chunk = this.chunkOf(batch, from);
      await this.handleChunk(payload, chunk);
      from += chunk.messages;
      heartbeats.check();
    }
  }

  private isOver({ isRunning, isStale }: EachBatchPayload): boolean {
    return this.stopping || !isRunning() || isStale();
  }

  /**
   * Selects the messages handled next: a consumer may skip most messages on its topics, and they are not read. A
   * message that failed last time comes first and is tried alone: its neighbours need not fail with it again. So is a
   * very long one, and one above the limit of the consumer (`batchBytes`).
   */
  private chunkOf(batch: Batch, from: number): Chunk {
    const { topic, partition, messages } = batch;
    const { connection, consumer } = this.options;
    const mostBytes = consumer.batchBytes ?? Number.POSITIVE_INFINITY;
    const wanted: Delivery[] = [];
    let bytes = 0;
    let end = from;
    while (end < messages.length && wanted.length < this.size) {
      const message = messages[end]!;
      const isUnwanted = this.unwanted.has(typeOf(message) ?? '');
      const length = message.value?.length ?? 0;
      if (!isUnwanted && wanted.length > 0 && (isReference(message) || bytes + length > mostBytes)) break;
      end++;
      if (isUnwanted) continue;
      bytes += length;
      const from = topic.slice(connection.prefix.length);
      const delivery = deliveryOf(connection.topicOf(topic) as Topic, partition, message, from);
      if (this.unwanted.has(delivery.event.type)) continue;
      wanted.push(delivery);
      if (isReference(message) || (this.attempts.hasFailed(delivery.event.id) && wanted.length === 1)) break;
    }
    // A fetch may have control records of transactional senders after its last message.
    const lastOffset = end < messages.length ? messages[end - 1]!.offset : batch.lastOffset();
    return { wanted, messages: end - from, lastOffset };
  }

  private async handleChunk(payload: EachBatchPayload, { wanted, lastOffset }: Chunk): Promise<void> {
    const { database, place, places } = this.options;
    const fetched = fetchedOf(payload.batch);
    const isDue = ({ event, replayed }: Delivery) => !replayed && !place.covers(event);
    // Skipped messages are compared with the log too: a forgery may claim an old place, or to be republished.
    const checked = await this.check(wanted, isDue);
    const { due, forged } = await this.checkSenders(checked);
    for (const forgery of forged) await this.refuse(forgery);
    const byEvent = new Map<StoredEvent, Delivery>(due.map((delivery) => [delivery.event, delivery]));
    let done: string | undefined;
    try {
      await handleBatch(
        this.work(byEvent, fetched, (event) => {
          done = byEvent.get(event)?.message.offset;
        }),
        due.map(({ event }) => event),
      );
      done = lastOffset;
    } finally {
      if (done !== undefined) {
        // Nothing is recorded yet for messages without effects. This comes before the commit: the place is never below
        // a committed offset.
        await places?.applied(database, fetched, done);
        places?.moved(fetched, done);
        await this.commit(payload, done);
      }
    }
  }

  /** The data of a message that only refers to them may crash processes: that is checked before they are read. */
  private async check(wanted: Delivery[], isDue: (delivery: Delivery) => boolean): Promise<Checked> {
    const { database, consumer } = this.options;
    if (wanted.some(({ message }) => isReference(message))) {
      const withoutData = await checkAgainstLog(database, wanted, isDue, false);
      const [only] = withoutData.due;
      if (!only) return withoutData;
      if (await isHandled(database.manager, consumer.name, only.event)) {
        // Then handleBatch finds this, too, and does not need the data.
        this.attempts.beCareful();
        return withoutData;
      }
      const withData = () => checkAgainstLog(database, wanted, isDue);
      return (await this.attempts.unlessDeadly(only.event, withData)) ?? withoutData;
    }
    return checkAgainstLog(database, wanted, isDue);
  }

  /** Messages of outsiders whose sender may not send them are forged, too. */
  private async checkSenders({ due, forged }: Checked): Promise<Checked> {
    const { checkSenders, connection } = this.options;
    const ofOutsiders = checkSenders
      ? due.filter(({ event, message }) => !isLogTopic(event.topic) && unreadableWhole(message) === undefined)
      : [];
    if (ofOutsiders.length === 0) return { due, forged };
    const found = await checkSenders!(
      ofOutsiders.map(({ event, from, message }) => ({
        topic: event.topic,
        topicName: connection.topicName(from),
        key: message.key?.toString() ?? '',
        headers: textHeadersOf(message),
        value: message.value,
        data: event.data,
      })),
    );
    if (found === undefined) return { due, forged };
    const refused = new Map<Delivery, Forgery>();
    for (const [index, delivery] of ofOutsiders.entries()) {
      const one = found[index]!;
      if ('sender' in one) delivery.event.sender = one.sender;
      else refused.set(delivery, { delivery, why: one });
    }
    return {
      due: due.filter((delivery) => !refused.has(delivery)),
      forged: [...forged, ...refused.values()],
    };
  }

  private work(
    byEvent: Map<StoredEvent, Delivery>,
    fetched: Fetched,
    done: (event: StoredEvent) => void,
  ): BatchWork {
    const { database: db, consumer, deadLetters, places, onParked, onError } = this.options;
    return {
      db,
      consumer,
      claim: async (tx, events) => {
        const [fresh] = await Promise.all([
          markHandled(tx, consumer.name, events),
          places?.applied(tx, fetched, byEvent.get(events.at(-1)!)!.message.offset),
        ]);
        return fresh;
      },
      handled: (events) => handledOf(db.manager, consumer.name, events),
      movedOn: (event) => {
        places?.moved(fetched, byEvent.get(event)!.message.offset);
        done(event);
      },
      passedOver: async (events) => {
        this.commits.passOver(events);
        done(events.at(-1)!);
      },
      onParked,
      onError,
      attempts: this.attempts,
      triesOfWaiting: triesOfLongWait,
      wait: async (ms) => {
        if (ms > longestInPlaceMs || this.stopping) throw new PartitionPaused(ms);
        await delay(ms);
      },
      read: (event) => readDelivery(byEvent.get(event)!),
      parking: (event, why) => deadLetters.send(consumer.name, byEvent.get(event)!, why),
      originOf: (event) => this.originOf(byEvent.get(event)!),
    };
  }

  /** Makes a forgery a dead letter under an id of its own: the event whose id it may carry is still to be handled. */
  private async refuse({ delivery, why }: Forgery): Promise<void> {
    const { database, consumer, deadLetters, onParked } = this.options;
    const origin = this.originOf(delivery);
    const { message } = delivery;
    const letter = {
      ...delivery.event,
      id: stableId(`${origin}\n${message.timestamp}\n${message.headers?.ce_id?.toString()}`),
    };
    if (await isParked(database.manager, consumer.name, letter.id)) return;
    await deadLetters.send(consumer.name, delivery, why);
    if (await park(database.manager, consumer.name, letter, why, { origin })) {
      onParked(letter, why.reason, { topic: letter.topic, origin });
    }
  }

  private originOf({ from, partition, message }: Delivery): string {
    return `${this.options.connection.topicName(from)}/${partition}@${message.offset}`;
  }

  private async commit(payload: EachBatchPayload, offset: string): Promise<void> {
    try {
      payload.resolveOffset(offset);
      await this.commits.handled(payload, offset);
    } catch (error) {
      this.options.onRefusedCommit(error as Error);
      throw error;
    }
  }

  private pauseMs(where: string, error: Error): number {
    if (error instanceof PartitionPaused) return error.ms;
    if (error instanceof NewerEvent) {
      this.options.waits.begin(where, error);
      return waitMs;
    }
    const failures = (this.failures.get(where) ?? 0) + 1;
    this.failures.set(where, failures);
    this.options.onError(error);
    return pauseAfter(failures, backOffMs);
  }

  private pausePartition({ pause }: EachBatchPayload, ms: number): void {
    if (this.stopping) return;
    const resume = pause();
    const timer = setTimeout(() => {
      this.resumes.delete(timer);
      resume();
    }, ms);
    this.resumes.set(timer, resume);
  }
}

/** Those that are in the log are marked nevertheless; events that were lost with a part of the log need no mark. */
function exceptLost(error: unknown): void {
  if (!(error instanceof EventNotInLog)) throw error;
}

function fetchedOf(batch: Batch): Fetched {
  const { topic, partition } = batch;
  // Missing in the client's types: the requested offset, which may be that of a control record.
  const { fetchedOffset } = batch as Batch & { fetchedOffset: string | number };
  return { topic, partition, from: BigInt(fetchedOffset) };
}
