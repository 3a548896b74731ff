import type { DataSource } from 'typeorm';
import { BrokenInvariant } from '#contracts';
import type { Cursor } from '#event-store';
import type { CheckSenders } from '#platform';
import type { Consumer } from '../consumer.js';
import { countLetters } from '../dead-letter-table.js';
import type {
  ConsumerStatus,
  EventBus,
  ForgedMessage,
  StoppedConsumer,
  WaitingConsumer,
} from '../event-bus.js';
import { RedeliveryLease } from '../redelivery-lease.js';
import { RetryLetters } from '../retry-letters.js';
import { Waits } from '../waits.js';
import { DeadLetterTopic } from './dead-letters.js';
import { type FilledGap, FillGaps } from './fill-gaps.js';
import { GroupLag } from './group-lag.js';
import { HandledPlace } from './handled-place.js';
import type { KafkaConnection } from './open-kafka.js';
import { publishedUpTo } from './relay-lease.js';
import { SupervisedConsumer } from './supervised-consumer.js';
import type { TopicKeeper } from './topic-keeper.js';
import { destinationOf } from './topics.js';

export interface KafkaBusOptions {
  connection: KafkaConnection;
  database: DataSource;
  /** Called before consumers start, repeatedly until the topics exist. */
  topics: TopicKeeper;
  /**
   * The number of partitions whose batches a consumer handles at the same time, default 3. Each takes a connection to
   * the database.
   */
  partitionsAtOnce?: number;
  /** The maximum wait of stop() for batches in progress, default 20,000 ms. */
  drainMs?: number;
  /** The interval at which the handled place is recorded beside the offsets, gaps are searched, and requested retries are looked for; default 5,000 ms. */
  noteEveryMs?: number;
  /** Absent: every writer to a topic of outsiders is believed. */
  checkSenders?: CheckSenders | undefined;
  /** @param forged set if the message is not in the log, although only the log's events belong on its topic, or of a sender that may not send it. */
  onParked?: (consumer: string, eventId: string, reason: string, forged?: ForgedMessage) => void;
  /** A failure that is retried. */
  onError?: (consumer: string, error: Error) => void;
  /** A consumer begins to wait for a process that knows a newer event. */
  onWait?: (waiting: WaitingConsumer) => void;
  /** A consumer is gone, or cannot start: a new one is created. */
  onCrash?: (consumer: string, error: Error) => void;
  /** Kafka did not deliver events, and the consumer read them from the log. */
  onFilled?: (consumer: string, gap: FilledGap) => void;
  /** The broker rejected an offset commit; redeliveries will be deduplicated. */
  onRefusedCommit?: (consumer: string, error: Error) => void;
}

/** By default, the interval at which the places of consumers are recorded, gaps are looked for, and letters are retried. */
const noteEveryMs = 5000;

/**
 * The bus between processes: each consumer is a member of a group of its name, and groups share the partitions of their
 * topics. `start` does not wait for Kafka: consumers begin when it is reachable.
 *
 * Switching between this bus and the in-process one loses nothing and repeats nothing: both mark handled events in the
 * inbox, and both record the place up to which everything is handled.
 */
export class KafkaBus implements EventBus {
  private readonly members: SupervisedConsumer[] = [];
  private readonly places: HandledPlace[] = [];
  private readonly waits: Waits[] = [];
  private readonly gaps: FillGaps[] = [];
  private readonly stopping = new AbortController();
  private readonly letters: RetryLetters;
  private readonly deadLetters: DeadLetterTopic;
  private readonly lag: GroupLag;
  private destination: string | undefined;
  private noting: { timer: NodeJS.Timeout; now?: Promise<void> } | undefined;

  constructor(private readonly options: KafkaBusOptions) {
    this.deadLetters = new DeadLetterTopic(options.connection);
    this.lag = new GroupLag(options.connection);
    this.letters = new RetryLetters({
      database: options.database,
      everyMs: options.noteEveryMs ?? noteEveryMs,
      onParked: (consumer, event, reason) => options.onParked?.(consumer, event.id, reason),
      onError: (consumer, error) => options.onError?.(consumer, error),
    });
  }

  subscribe(consumer: Consumer): void {
    if (this.members.some((member) => member.consumer.name === consumer.name)) {
      throw new BrokenInvariant(`two consumers are named ${consumer.name}`);
    }
    const { connection, database, topics, onParked, onError, onCrash, onFilled, onRefusedCommit } =
      this.options;
    const { name } = consumer;
    const place = new HandledPlace(database, consumer);
    this.places.push(place);
    const waits = new Waits(name, this.options.onWait);
    this.waits.push(waits);
    const lease = new RedeliveryLease(database, name);
    this.letters.add(consumer, lease);
    this.gaps.push(
      new FillGaps({
        connection,
        database,
        consumer,
        place,
        waits,
        lease,
        signal: this.stopping.signal,
        onParked: (event, reason) => onParked?.(name, event.id, reason),
        onError: (error) => onError?.(name, error),
        onFilled: (gap) => onFilled?.(name, gap),
      }),
    );
    this.members.push(
      new SupervisedConsumer({
        connection,
        database,
        consumer,
        place,
        waits,
        topics,
        deadLetters: this.deadLetters,
        checkSenders: this.options.checkSenders,
        partitionsAtOnce: this.options.partitionsAtOnce ?? 3,
        drainMs: this.options.drainMs ?? 20_000,
        onParked: (event, reason, forged) => onParked?.(name, event.id, reason, forged),
        onError: (error) => onError?.(name, error),
        onCrash: (error) => onCrash?.(name, error),
        onRefusedCommit: (error) => onRefusedCommit?.(name, error),
      }),
    );
  }

  consumers(): Consumer[] {
    return this.members.map(({ consumer }) => consumer);
  }

  async start(): Promise<void> {
    for (const member of this.members) member.start();
    this.letters.start();
    const timer = setInterval(() => {
      if (this.noting && !this.noting.now) {
        this.noting.now = this.updatePlaces().finally(() => {
          if (this.noting) delete this.noting.now;
        });
      }
    }, this.options.noteEveryMs ?? noteEveryMs);
    this.noting = { timer };
  }

  async stop(): Promise<void> {
    clearInterval(this.noting?.timer);
    this.stopping.abort();
    await Promise.all([this.letters.stop(), ...this.members.map((member) => member.stop())]);
    await this.noting?.now;
    await Promise.all([this.deadLetters.close(), this.lag.close(), ...this.gaps.map((gaps) => gaps.stop())]);
  }

  waiting(): WaitingConsumer[] {
    return this.waits.flatMap((waits) => waits.all());
  }

  stopped(): StoppedConsumer[] {
    return this.members.flatMap((member) => {
      const reason = member.stoppedBy();
      return reason === undefined ? [] : [{ consumer: member.consumer.name, reason }];
    });
  }

  /** Lag: messages that the group of a consumer has not committed yet. */
  async status(): Promise<ConsumerStatus[]> {
    const consumers = this.consumers();
    const [lags, ages, parked] = await Promise.all([
      this.lag.of(consumers),
      Promise.all(this.places.map((place) => place.ageSeconds())),
      countLetters(
        this.options.database,
        consumers.map(({ name }) => name),
      ),
    ]);
    return consumers.map(({ name }, index) => ({
      name,
      lag: lags[index]!,
      parked: parked.get(name) ?? 0,
      ageSeconds: ages[index]!,
    }));
  }

  private async updatePlaces(): Promise<void> {
    if (this.members.length === 0) return;
    // One statement for all consumers.
    const published = this.published();
    await Promise.all(
      this.members.map(async ({ consumer }, index) => {
        try {
          await this.gaps[index]!.check(await published);
        } catch (error) {
          if (!this.stopping.signal.aborted) this.options.onError?.(consumer.name, error as Error);
        }
      }),
    );
  }

  private async published(): Promise<Cursor | undefined> {
    const { database, connection } = this.options;
    this.destination ??= await destinationOf(connection);
    return publishedUpTo(database, this.destination);
  }
}
