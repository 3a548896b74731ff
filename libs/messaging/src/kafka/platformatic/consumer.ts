import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Batch, ConsumerRunConfig, EachBatchPayload, KafkaMessage } from 'kafkajs';
import { BrokenInvariant } from '#contracts';
import { whenAborted } from '#waiting';
import { answerOf, mustRejoin } from '../kafka-trouble.js';
import { type FetchedPartition, readFetch, readMessages } from './fetched-records.js';
import { type Assignment, GroupMember, type NextOffset } from './group-member.js';
import {
  answerTo,
  Brokers,
  type ClientOptions,
  type Cluster,
  connectionFailed,
  grouped,
  inKafkajs,
  isRetriable,
  withRetries,
} from './library.js';
import type { BrokerConnection } from './surface.js';

/** As kafkajs asks. */
const fetchBytes = { all: 10 * 1024 * 1024, partition: 1024 * 1024 };
const committedOnly = 1;
const earliest = -2n;
/** On top of the time that members have to end their batches. */
const joinSlackMs = 5000;

const events = {
  CRASH: 'consumer.crash',
  GROUP_JOIN: 'consumer.group_join',
  REBALANCING: 'consumer.rebalancing',
  HEARTBEAT: 'consumer.heartbeat',
  REQUEST: 'consumer.network.request',
  END_BATCH_PROCESS: 'consumer.end_batch_process',
} as const;

/** A partition of this member in one generation of its group. */
interface Reading {
  topic: string;
  partition: number;
  /** The next one. */
  offset: bigint;
  isPaused: boolean;
}

/**
 * A consumer over the library's connections, in the words of kafkajs: fetches become batches, one partition after the other, and a
 * rebalance waits for the batches under way. States: *joining*; *reading*, a loop for each broker that leads a partition; it ends when it is
 * stopped, or crashes with an event, permanently.
 */
export class PlatformaticConsumer {
  readonly events = events;
  private readonly emitter = new EventEmitter();
  private readonly stopping = new AbortController();
  private fetching: Brokers | undefined;
  private grouping: Brokers | undefined;
  private member: GroupMember | undefined;
  private topics: string[] = [];
  private running: Promise<void> | undefined;

  constructor(
    private readonly client: ClientOptions,
    private readonly groupId: string,
  ) {}

  // biome-ignore lint/suspicious/noExplicitAny: each event has a payload of its own.
  on(name: string, listener: (event: any) => void): () => void {
    this.emitter.on(name, listener);
    return () => this.emitter.off(name, listener);
  }

  async connect(): Promise<void> {
    // A broker answers the requests of a connection in their order: a fetch that waits for messages would delay heartbeats and commits.
    this.fetching = await Brokers.open(this.client);
    this.grouping = await Brokers.open(this.client, this.client.limits.rebalanceTimeoutMs + joinSlackMs);
    await withRetries(() => this.fetching!.cluster([]), this.stopping.signal);
  }

  async subscribe({ topics }: { topics: string[] }): Promise<void> {
    this.topics = [...new Set([...this.topics, ...topics])];
  }

  async run(config: ConsumerRunConfig): Promise<void> {
    const each = config.eachBatch ?? batchOfEach(config);
    this.member = new GroupMember(this.grouping!, this.client, this.groupId, this.topics);
    this.running = this.read(each, config.partitionsConsumedConcurrently ?? 1).catch((error: Error) => {
      if (!this.isStopping) this.emit(events.CRASH, { error, groupId: this.groupId, restart: false });
    });
  }

  /** Waits for batches under way. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
    await this.member?.leave().catch(() => {});
  }

  async disconnect(): Promise<void> {
    try {
      await this.stop();
    } finally {
      await Promise.all([this.fetching?.close(), this.grouping?.close()]);
    }
  }

  async commitOffsets(offsets: { topic: string; partition: number; offset: string }[]): Promise<void> {
    await this.member!.commit(offsets.map((one) => ({ ...one, offset: BigInt(one.offset) })));
  }

  private get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  private emit(name: string, payload: object): void {
    this.emitter.emit(name, { payload });
  }

  private async read(each: EachBatch, atOnce: number): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const began = performance.now();
      const assignment = await withRetries(() => this.member!.join(), signal);
      this.emit(events.REQUEST, { apiName: 'SyncGroup', duration: performance.now() - began });
      this.emit(events.GROUP_JOIN, {
        groupId: this.groupId,
        memberId: this.member!.memberId,
        memberAssignment: { ...Object.fromEntries(this.topics.map((topic) => [topic, []])), ...assignment },
      });
      await new Generation(this.member!, this.fetching!, this.client, {
        each,
        atOnce,
        assignment,
        topics: this.topics,
        stopping: signal,
        emit: (name, payload) => this.emit(name, payload),
      }).read();
      if (!signal.aborted) this.emit(events.REBALANCING, { groupId: this.groupId });
    }
  }
}

type EachBatch = NonNullable<ConsumerRunConfig['eachBatch']>;

/** Commits after each batch. */
function batchOfEach({ eachMessage }: ConsumerRunConfig): EachBatch {
  if (!eachMessage) throw new BrokenInvariant('neither eachBatch nor eachMessage');
  return async ({ batch, heartbeat, pause, resolveOffset, commitOffsetsIfNecessary }) => {
    const { topic, partition, messages } = batch;
    for (const message of messages) {
      await eachMessage({ topic, partition, message, heartbeat, pause });
      resolveOffset(message.offset);
      await heartbeat();
    }
    const offset = String(BigInt(batch.lastOffset()) + 1n);
    await commitOffsetsIfNecessary({ topics: [{ topic, partitions: [{ partition, offset }] }] });
  };
}

interface GenerationOptions {
  each: EachBatch;
  atOnce: number;
  assignment: Assignment;
  topics: readonly string[];
  stopping: AbortSignal;
  emit: (name: string, payload: object) => void;
}

/** What a member reads while its group has the same members. */
class Generation {
  private readonly over = new AbortController();
  private readonly ended = new AbortController();
  private readonly signal = this.ended.signal;
  private readings: Reading[] = [];
  private refusal: Error | undefined;
  private turns: (() => void)[] = [];
  private busy = 0;
  private wake = new AbortController();

  constructor(
    private readonly member: GroupMember,
    private readonly brokers: Brokers,
    private readonly client: ClientOptions,
    private readonly options: GenerationOptions,
  ) {
    abortWith(this.ended, options.stopping, this.over.signal);
  }

  /** Returns when the group has to be joined again, or at the stop. @throws if a failure lasts. */
  async read(): Promise<void> {
    const beating = this.beat();
    try {
      let cluster = await this.begin();
      for (let failures = 0; !this.signal.aborted; ) {
        const began = performance.now();
        const error = await this.round(cluster);
        if (this.signal.aborted) break;
        if (performance.now() - began > this.client.limits.sessionTimeoutMs) failures = 0;
        if (error) {
          failures++;
          if (!isRetriable(error) || failures > 8) throw error;
          await delay(100 * failures, undefined, { signal: this.signal }).catch(() => {});
        }
        cluster = await withRetries(() => this.brokers.cluster(this.options.topics), this.signal);
        // Their partitions are shared anew.
        if (this.hasGrown(cluster)) this.leaveGeneration();
      }
    } catch (error) {
      if (!this.signal.aborted) throw error;
    } finally {
      this.over.abort();
      await beating;
    }
  }

  private leaveGeneration(refusal?: Error): void {
    this.refusal ??= refusal;
    this.over.abort();
  }

  private sizes = new Map<string, number>();

  private hasGrown({ leaders }: Cluster): boolean {
    return [...leaders].some(([topic, of]) => of.length !== (this.sizes.get(topic) ?? of.length));
  }

  private async begin(): Promise<Cluster> {
    const { assignment, topics } = this.options;
    return withRetries(async () => {
      const cluster = await this.brokers.cluster(topics);
      this.sizes = new Map([...cluster.leaders].map(([topic, of]) => [topic, of.length]));
      const committed = await this.member.committed(assignment);
      this.readings = Object.entries(assignment).flatMap(([topic, partitions]) =>
        partitions.map((partition) => {
          const offset = committed.get(`${topic}/${partition}`) ?? -1n;
          return { topic, partition, offset, isPaused: false };
        }),
      );
      for (const reading of this.readings) if (reading.offset < 0n) await this.toFirst(reading, cluster);
      return cluster;
    }, this.signal);
  }

  private async toFirst(reading: Reading, { brokers, leaders }: Cluster): Promise<void> {
    const { topic, partition } = reading;
    const leader = brokers.get(leaders.get(topic)?.[partition] ?? -1);
    if (!leader) throw connectionFailed(`${topic}/${partition} has no leader`);
    const asked = { partitionIndex: partition, currentLeaderEpoch: -1, timestamp: earliest };
    const { topics } = await this.brokers.ask<{ topics: { partitions: { offset: bigint }[] }[] }>(
      leader,
      'ListOffsets',
      -1,
      committedOnly,
      [{ name: topic, partitions: [asked] }],
    );
    reading.offset = topics[0]!.partitions[0]!.offset;
  }

  /** Heartbeats go on while batches are handled; the group waits for those when it changes. */
  private async beat(): Promise<void> {
    const { heartbeatIntervalMs, sessionTimeoutMs } = this.client.limits;
    let answeredAt = performance.now();
    const { signal } = this.over;
    while (!signal.aborted) {
      await delay(heartbeatIntervalMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      const began = performance.now();
      try {
        await this.member.heartbeat();
        answeredAt = performance.now();
        this.options.emit(events.REQUEST, { apiName: 'Heartbeat', duration: answeredAt - began });
        this.options.emit(events.HEARTBEAT, { groupId: this.member.groupId });
      } catch (error) {
        if (mustRejoin(error) && answerOf(error) !== 'NOT_COORDINATOR_FOR_GROUP')
          this.leaveGeneration(error as Error);
        else if (performance.now() - answeredAt > sessionTimeoutMs) this.leaveGeneration(error as Error);
      }
    }
  }

  /** One loop for each leader, until leaders may have changed. @returns the first failure. */
  private async round(cluster: Cluster): Promise<Error | undefined> {
    const ending = new AbortController();
    abortWith(ending, this.signal);
    const { signal } = ending;
    const refresh = setTimeout(() => ending.abort(), this.client.limits.metadataMaxAgeMs);
    let failure: Error | undefined;
    const byLeader = grouped(
      this.readings,
      ({ topic, partition }) => cluster.leaders.get(topic)?.[partition] ?? -1,
    );
    await Promise.all(
      [...byLeader].map(async ([leader, readings]) => {
        try {
          while (!signal.aborted) await this.fetchOnce(cluster, leader, readings, signal);
        } catch (error) {
          failure ??= error as Error;
          ending.abort();
        }
      }),
    );
    if (byLeader.size === 0) await whenAborted(signal);
    clearTimeout(refresh);
    ending.abort();
    return failure;
  }

  private async fetchOnce(
    cluster: Cluster,
    leader: number,
    readings: readonly Reading[],
    signal: AbortSignal,
  ): Promise<void> {
    const { brokers } = this;
    const wanted = readings.filter(({ isPaused }) => !isPaused);
    if (wanted.length === 0) {
      await Promise.race([whenAborted(signal), whenAborted(this.wake.signal)]);
      return;
    }
    const broker = cluster.brokers.get(leader);
    if (!broker) throw connectionFailed(`broker ${leader} is not available`);
    const asked = new Map(wanted.map((one) => [`${one.topic}/${one.partition}`, { one, from: one.offset }]));
    const { errorCode, partitions } = await brokers.over(broker, (connection) =>
      this.ask(connection, wanted),
    );
    if (errorCode !== 0) throw inKafkajs(new brokers.library.ProtocolError(errorCode));
    let failure: Error | undefined;
    await Promise.all(
      partitions.map(async (fetched) => {
        const { one, from } = asked.get(`${fetched.topic}/${fetched.partition}`)!;
        try {
          await this.take(cluster, one, from, fetched);
        } catch (error) {
          if (mustRejoin(error)) this.leaveGeneration(error as Error);
          else failure ??= error as Error;
        }
      }),
    );
    if (failure) throw failure;
  }

  private ask(
    connection: BrokerConnection,
    wanted: readonly Reading[],
  ): Promise<ReturnType<typeof readFetch>> {
    const { fetchV12 } = this.brokers.library;
    const topics = [...grouped(wanted, ({ topic }) => topic)].map(([topic, of]) => ({
      topicId: topic,
      partitions: of.map(({ partition, offset }) => ({
        partition,
        currentLeaderEpoch: -1,
        fetchOffset: offset,
        lastFetchedEpoch: -1,
        partitionMaxBytes: fetchBytes.partition,
      })),
    }));
    const { maxWaitMs } = this.client.limits;
    return answerTo((answered) =>
      connection.send(
        fetchV12.api.key,
        fetchV12.api.version,
        () => fetchV12.createRequest(maxWaitMs, 1, fetchBytes.all, committedOnly, 0, -1, topics, [], ''),
        (_id, _key, _version, reader) => readFetch(reader),
        true,
        true,
        answered,
      ),
    );
  }

  private async take(cluster: Cluster, one: Reading, from: bigint, fetched: FetchedPartition): Promise<void> {
    if (fetched.errorCode !== 0) {
      const error = inKafkajs(new this.brokers.library.ProtocolError(fetched.errorCode));
      if (answerOf(error) !== 'OFFSET_OUT_OF_RANGE') throw error;
      await this.toFirst(one, cluster);
      return;
    }
    if (fetched.records.length === 0) return;
    const { messages, first, last } = await readMessages(this.brokers.library, fetched, from);
    if (first === undefined || last === undefined) return;
    if (messages.length === 0) {
      one.offset = last + 1n;
      const offsets = { firstOffset: String(first), lastOffset: String(last) };
      this.options.emit(events.END_BATCH_PROCESS, { ...fetched, ...offsets, batchSize: 0 });
      return;
    }
    await this.inTurn(async () => {
      if (this.signal.aborted) return;
      await this.options.each(
        this.payload(one, { from, messages, last, highWatermark: fetched.highWatermark }),
      );
    });
  }

  private async inTurn(work: () => Promise<void>): Promise<void> {
    if (this.busy >= this.options.atOnce) await new Promise<void>((resolve) => this.turns.push(resolve));
    else this.busy++;
    try {
      await work();
    } finally {
      const next = this.turns.shift();
      if (next) next();
      else this.busy--;
    }
  }

  private payload(
    one: Reading,
    {
      from,
      messages,
      last,
      highWatermark,
    }: { from: bigint; messages: KafkaMessage[]; last: bigint; highWatermark: bigint },
  ): EachBatchPayload {
    const { topic, partition } = one;
    const lastMessage = messages.at(-1)!.offset;
    const batch: Batch & { fetchedOffset: string } = {
      topic,
      partition,
      messages,
      highWatermark: String(highWatermark),
      fetchedOffset: String(from),
      isEmpty: () => messages.length === 0,
      firstOffset: () => messages[0]!.offset,
      lastOffset: () => String(last),
      offsetLag: () => String(highWatermark - 1n - last),
      offsetLagLow: () => String(highWatermark - 1n - BigInt(messages[0]!.offset)),
    };
    return {
      batch,
      resolveOffset: (offset) => {
        one.offset = (offset === lastMessage ? last : BigInt(offset)) + 1n;
      },
      heartbeat: async () => {
        if (this.refusal) throw this.refusal;
      },
      pause: () => {
        one.isPaused = true;
        return () => {
          one.isPaused = false;
          this.wake.abort();
          this.wake = new AbortController();
        };
      },
      commitOffsetsIfNecessary: async (offsets) => {
        if (offsets) await this.member.commit(placesOf(offsets.topics));
      },
      uncommittedOffsets: () => ({ topics: [] }),
      isRunning: () => !this.options.stopping.aborted,
      isStale: () => this.over.signal.aborted,
    };
  }
}

function placesOf(
  topics: { topic: string; partitions: { partition: number; offset: string }[] }[],
): NextOffset[] {
  return topics.flatMap(({ topic, partitions }) =>
    partitions.map(({ partition, offset }) => ({ topic, partition, offset: BigInt(offset) })),
  );
}

/** Aborts with any of the signals; listens to them no longer than that. */
function abortWith(controller: AbortController, ...signals: AbortSignal[]): void {
  const { signal } = controller;
  for (const one of signals) {
    if (one.aborted) controller.abort();
    one.addEventListener('abort', () => controller.abort(), { once: true, signal });
  }
}
