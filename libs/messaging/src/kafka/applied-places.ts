import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { pauseAfter } from '#contracts';
import type { Tx } from '#event-store';
import { noteApplied, noteStart, readApplied } from '../applied-offsets.js';
import { KeptAdmin } from './kept-admin.js';
import type { KafkaConnection } from './open-kafka.js';
import { startOfReading } from './topic-ends.js';

export interface AppliedPlacesOptions {
  database: DataSource;
  connection: KafkaConnection;
  consumer: string;
  onError: (error: Error) => void;
}

/** The messages fetched from a partition, and their offsets. */
export interface Fetched {
  topic: string;
  partition: number;
  /** The first requested offset. */
  from: bigint;
}

const compareEveryMs = 10_000;
const pauseMs = { first: 100, longest: 2000 };

/**
 * Keeps the table of applied offsets for one member of a group (`Consumer.keepsPlaces`). Messages move it in the
 * transaction of their effects; offsets that reach no handler (control records, aborted messages, a partition whose
 * messages are all gone) move it outside of one, with retries until the database has it.
 */
export class AppliedPlaces {
  private readonly over = new AbortController();
  private comparing = new AbortController();
  /** The beginning of the next range, for partitions with applied messages since the member joined. */
  private readonly reached = new Map<string, bigint>();

  constructor(private readonly options: AppliedPlacesOptions) {}

  /** Everything of a fetch up to an offset is applied, that one included. */
  async applied(tx: Tx | DataSource, fetched: Fetched, lastOffset: string): Promise<void> {
    const { topic, partition } = fetched;
    const nextOffset = BigInt(lastOffset) + 1n;
    const from = this.from(fetched);
    if (from >= nextOffset) return;
    await noteApplied(tx, this.options.consumer, { topic, partition, from, nextOffset });
  }

  /** The same, once it is committed. */
  moved({ topic, partition }: Pick<Fetched, 'topic' | 'partition'>, lastOffset: string): void {
    this.reached.set(`${topic}/${partition}`, BigInt(lastOffset) + 1n);
  }

  /** A fetch brought nothing for a handler. */
  skipped(fetched: Fetched, lastOffset: string): void {
    const where = `${fetched.topic}/${fetched.partition}`;
    void this.untilDone(async () => {
      // Messages fetched later have already recorded more.
      if ((this.reached.get(where) ?? 0n) > BigInt(lastOffset)) return;
      await this.applied(this.options.database, fetched, lastOffset);
      this.moved(fetched, lastOffset);
    });
  }

  /**
   * The group has a new generation, and this member has these partitions of each topic. From now on their offsets are
   * compared with those of the brokers: no message reports that a topic was recreated and is empty, or that offsets
   * were moved.
   */
  joined(assignment: Record<string, number[]>): void {
    this.reached.clear();
    this.comparing.abort();
    if (this.over.signal.aborted) return;
    this.comparing = new AbortController();
    void this.compare(assignment, this.comparing.signal);
  }

  stop(): void {
    this.over.abort();
    this.comparing.abort();
  }

  private async compare(assignment: Record<string, number[]>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.untilDone(() => this.noteStarts(assignment, signal), signal);
      await delay(compareEveryMs, undefined, { signal }).catch(() => {});
    }
  }

  /** A fetch may be handled in parts, and begin at the end of the one before. */
  private from({ topic, partition, from }: Fetched): bigint {
    const reached = this.reached.get(`${topic}/${partition}`);
    return reached !== undefined && reached > from ? reached : from;
  }

  private async noteStarts(assignment: Record<string, number[]>, signal: AbortSignal): Promise<void> {
    const { database, connection, consumer } = this.options;
    const admin = new KeptAdmin(connection);
    try {
      for (const [topic, partitions] of Object.entries(assignment)) {
        // Before the broker is queried: an event applied meanwhile must not seem to be beyond the end.
        const known = await readApplied(database, consumer, topic);
        const starts = await this.startsOf(admin, topic);
        for (const partition of partitions) {
          const place = known.get(partition)?.nextOffset;
          const start = starts.get(partition);
          const note = start && startOfReading(place, start.committed, start);
          // Its partitions may belong to another member by now, which knows more.
          if (signal.aborted) return;
          if (note) await noteStart(database, consumer, { topic, partition }, place, note);
        }
      }
    } finally {
      await admin.close();
    }
  }

  private async startsOf(admin: KeptAdmin, topic: string) {
    const groupId = this.options.connection.groupName(this.options.consumer);
    const [[offsets], ends] = await admin.ask((client) =>
      Promise.all([client.fetchOffsets({ groupId, topics: [topic] }), client.fetchTopicOffsets(topic)]),
    );
    const committed = new Map(
      offsets?.partitions.map(({ partition, offset }) => [partition, BigInt(offset)]),
    );
    return new Map(
      ends.map(({ partition, low, high }) => {
        const offset = committed.get(partition);
        // -1: nothing is committed.
        const known = offset !== undefined && offset >= 0n ? { committed: offset } : { committed: undefined };
        return [partition, { low: BigInt(low), high: BigInt(high), ...known }];
      }),
    );
  }

  private async untilDone(work: () => Promise<void>, signal = this.over.signal): Promise<void> {
    for (let tries = 1; !signal.aborted; tries++) {
      try {
        return await work();
      } catch (error) {
        if (!signal.aborted) this.options.onError(error as Error);
        await delay(pauseAfter(tries, pauseMs), undefined, { signal }).catch(() => {});
      }
    }
  }
}
