import type { EachBatchPayload } from 'kafkajs';
import type { EventPlace } from '../inbox.js';

type Commit = EachBatchPayload['commitOffsetsIfNecessary'];

export interface OffsetCommitsOptions {
  /** Marks skipped events as handled, before the offsets after them are committed. */
  mark(events: EventPlace[]): Promise<unknown>;
  /** A commit between batches failed: it is retried, unless the group has a new generation by then. */
  onRefused(error: Error): void;
}

/** The interval of commits. After a crash the events of this interval are redelivered, and the inbox deduplicates them. */
const everyMs = 1000;

/**
 * Commits the handled offsets of a member's partitions: all of them together and once a second, because a commit costs the
 * broker as much as a message. A commit is sent within a batch if it is due, otherwise by a timer.
 *
 * The members of a new generation of the group begin with the offsets committed before: call `forget` then, or the
 * offset of a partition that another member has could go back.
 */
export class OffsetCommits {
  /** By topic and partition: the next offset. */
  private offsets = new Map<string, { topic: string; partition: number; offset: string }>();
  private passedOver: EventPlace[] = [];
  private committedAt = Number.NEGATIVE_INFINITY;
  private timer: NodeJS.Timeout | undefined;
  private commit: Commit | undefined;
  private generation = 0;
  private stopping = false;

  constructor(private readonly options: OffsetCommitsOptions) {}

  /** These events had no effects. */
  passOver(events: readonly EventPlace[]): void {
    for (const { id, topic, transactionId, position } of events) {
      // Without their data, which may be long.
      this.passedOver.push({ id, topic, transactionId, position });
    }
  }

  /**
   * Everything up to an offset is handled.
   *
   * @throws the error of the broker, or of the database for the marks; it is retried then.
   */
  async handled(
    { batch, commitOffsetsIfNecessary }: Pick<EachBatchPayload, 'batch' | 'commitOffsetsIfNecessary'>,
    offset: string,
  ): Promise<void> {
    const { topic, partition } = batch;
    const next = String(BigInt(offset) + 1n);
    this.offsets.set(`${topic}/${partition}`, { topic, partition, offset: next });
    this.commit = commitOffsetsIfNecessary;
    const dueInMs = this.committedAt + everyMs - performance.now();
    if (this.stopping || dueInMs <= 0) await this.commitAll();
    else this.commitLater(dueInMs);
  }

  /** The group has a new generation. */
  forget(): void {
    this.generation++;
    this.offsets.clear();
  }

  /** Handled messages are committed now, and from now on at once. */
  stop(): void {
    this.stopping = true;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.commitAll().catch(this.options.onRefused);
  }

  private commitLater(ms: number): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.commitAll().catch((error: Error) => {
        this.options.onRefused(error);
        if (!this.stopping) this.commitLater(everyMs);
      });
    }, ms);
  }

  private async commitAll(): Promise<void> {
    const { commit, offsets, passedOver, generation } = this;
    if (!commit || offsets.size + passedOver.length === 0) return;
    this.committedAt = performance.now();
    this.offsets = new Map();
    this.passedOver = [];
    try {
      if (passedOver.length > 0) await this.options.mark(passedOver);
    } catch (error) {
      this.passedOver = [...passedOver, ...this.passedOver];
      this.putBack(offsets, generation);
      throw error;
    }
    try {
      if (offsets.size > 0 && generation === this.generation) await commit({ topics: topicsOf(offsets) });
    } catch (error) {
      this.putBack(offsets, generation);
      throw error;
    }
  }

  // Messages handled meanwhile are further on.
  private putBack(offsets: OffsetCommits['offsets'], generation: number): void {
    if (generation === this.generation) this.offsets = new Map([...offsets, ...this.offsets]);
  }
}

function topicsOf(offsets: ReadonlyMap<string, { topic: string; partition: number; offset: string }>) {
  const topics = new Map<string, { partition: number; offset: string }[]>();
  for (const { topic, ...place } of offsets.values()) {
    topics.set(topic, [...(topics.get(topic) ?? []), place]);
  }
  return [...topics].map(([topic, partitions]) => ({ topic, partitions }));
}
