import { setTimeout as delay } from 'node:timers/promises';
import type { Consumer as Client } from 'kafkajs';
import { whenAborted } from '#waiting';
import type { Consumer } from '../consumer.js';
import { BusError } from '../event-bus.js';
import { AppliedPlaces } from './applied-places.js';
import { endsWithin } from './ends-within.js';
import { answerOf, describeTrouble } from './kafka-trouble.js';
import { leave } from './kept-admin.js';
import { PartitionBatches, type PartitionBatchesOptions } from './partition-batches.js';
import type { TopicKeeper } from './topic-keeper.js';

export interface SupervisedConsumerOptions extends PartitionBatchesOptions {
  topics: TopicKeeper;
  partitionsAtOnce: number;
  /** The maximum wait of stop() for batches in progress. */
  drainMs: number;
  /** The consumer is gone, and a new one is created. */
  onCrash: (error: Error) => void;
  /** After so many milliseconds of crashes it counts as stopped, default 30 s. */
  stoppedAfter?: number;
  /** Between two clients. */
  restMs?: { first: number; longest: number };
}

/** A consumer that crashes again and again for longer does not read; a rebalance or a short outage ends before. */
const stoppedAfterMs = 30_000;
const usualRestMs = { first: 250, longest: 1000 };
/**
 * The number of times in a row that a coordinator may be loading its groups: that ends by itself, within seconds unless
 * there is a problem.
 */
const loadsUnreported = 5;

/**
 * Keeps one member of a group alive. Its states: *starting* (topics exist, place loaded, connected, subscribed,
 * joined), *consuming*, *resting* after a crash or a failed start; then it starts again, with a new client, until it is
 * stopped. The client may crash permanently (`restart: false`), and reports that with an event, on which alone this
 * relies.
 */
export class SupervisedConsumer {
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;
  private batches: PartitionBatches | undefined;
  private client: Client | undefined;
  /** By a monotonic clock: when the present client began. */
  private began = 0;
  /** Since when each client has crashed soon, and the last reason. */
  private failing: { since: number; reason: string } | undefined;

  constructor(private readonly options: SupervisedConsumerOptions) {}

  get consumer(): Consumer {
    return this.options.consumer;
  }

  /** Why it has not been able to read for a while; undefined: it has, or it only began to fail. */
  stoppedBy(): string | undefined {
    const { failing } = this;
    if (!failing || this.isSound()) return undefined;
    const { stoppedAfter = stoppedAfterMs } = this.options;
    return performance.now() - failing.since >= stoppedAfter ? failing.reason : undefined;
  }

  private isSound(): boolean {
    const { restMs = usualRestMs } = this.options;
    return performance.now() - this.began > 10 * restMs.longest;
  }

  start(): void {
    this.running ??= this.run();
  }

  /** Waits for batches in progress, until the deadline; then leaves the group. */
  async stop(): Promise<void> {
    const { drainMs, onError, consumer } = this.options;
    this.batches?.stop();
    const drained = this.client?.stop().catch(() => {});
    const inTime = await endsWithin(drained, drainMs);
    this.stopping.abort();
    const left = inTime && (await endsWithin(this.running, drainMs));
    if (!left)
      onError(
        new BusError(
          'consumer-abandoned',
          `${consumer.name} did not end within ${drainMs} ms and was abandoned`,
        ),
      );
  }

  private async run(): Promise<void> {
    const { restMs = usualRestMs } = this.options;
    let rest = restMs.first;
    let loads = 0;
    while (!this.isStopping()) {
      this.began = performance.now();
      try {
        await this.consume();
      } catch (error) {
        if (this.isStopping()) return;
        if (answerOf(error) === 'UNKNOWN_TOPIC_OR_PARTITION') this.options.topics.forget();
        const wasSound = this.isSound();
        const since = wasSound ? performance.now() : (this.failing?.since ?? this.began);
        this.failing = { since, reason: this.inWords(error).message };
        if (wasSound || answerOf(error) !== 'GROUP_LOAD_IN_PROGRESS') loads = 0;
        else loads += 1;
        if (loads === 0 || loads > loadsUnreported) this.options.onCrash(this.inWords(error));
        rest = wasSound ? restMs.first : Math.min(2 * rest, restMs.longest);
        await delay(rest, undefined, { signal: this.stopping.signal }).catch(() => {});
      }
    }
  }

  /** @throws when the client has crashed, or cannot start. */
  private async consume(): Promise<void> {
    const { connection, consumer, place, partitionsAtOnce, topics } = this.options;
    await topics.ready(consumer.topics);
    await place.load();
    if (this.isStopping()) return;
    const client = connection.consumer(connection.groupName(consumer.name));
    const { database, onError } = this.options;
    const places = consumer.keepsPlaces
      ? new AppliedPlaces({ database, connection, consumer: consumer.name, onError })
      : undefined;
    const batches = new PartitionBatches({ ...this.options, places });
    this.client = client;
    this.batches = batches;
    try {
      const crashed = new Promise<never>((_, reject) => {
        client.on(client.events.CRASH, ({ payload: { error } }) => reject(error));
      });
      // It may crash while it is still being started.
      crashed.catch(() => {});
      client.on(client.events.GROUP_JOIN, ({ payload }) => {
        batches.joined();
        places?.joined(payload.memberAssignment);
      });
      if (places) noteSkipped(client, places);
      await client.connect();
      await client.subscribe({ topics: consumer.topics.flatMap(connection.topicNames), fromBeginning: true });
      await client.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: partitionsAtOnce,
        eachBatch: (payload) => batches.handle(payload),
      });
      await Promise.race([crashed, whenAborted(this.stopping.signal)]);
    } finally {
      batches.stop();
      places?.stop();
      this.client = undefined;
      await leave(client, connection.patience.requestTimeoutMs);
    }
  }

  private isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  private inWords(error: unknown): Error {
    const { connection, consumer } = this.options;
    return describeTrouble(error, {
      doing: `consumer ${consumer.name}`,
      topics: consumer.topics.flatMap(connection.topicNames),
      group: connection.groupName(consumer.name),
    });
  }
}

/** A fetch of only control records or aborted messages reaches no handler; the client emits an event for it. */
function noteSkipped(client: Client, places: AppliedPlaces): void {
  client.on(client.events.END_BATCH_PROCESS, ({ payload }) => {
    const { topic, partition, batchSize, firstOffset, lastOffset } = payload;
    if (batchSize > 0 || firstOffset === null) return;
    places.skipped({ topic, partition, from: BigInt(firstOffset) }, lastOffset);
  });
}
