import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { Batcher } from '#event-store';
import { NoAnswer } from '#waiting';
import { readApplied } from '../applied-offsets.js';
import { endsWithin } from './ends-within.js';
import type { KafkaConnection } from './open-kafka.js';
import { type Ends, isAllApplied, TopicEnds, type Unread, unreadOf } from './topic-ends.js';

export interface TopicWatermarkOptions {
  connection: KafkaConnection;
  database: DataSource;
  /** Of the catalog. */
  topic: string;
  /** A consumer that keeps its places (`Consumer.keepsPlaces`). */
  consumer: string;
  /** The time limit for the brokers to answer, default 3,000 ms. */
  answerMs?: number;
}

/** Between two reads of the table, while a caller waits. */
const checkEveryMs = 20;

/**
 * Checks whether a consumer has applied everything that was on its topic at the time of the call. Callers share
 * requests to the brokers; an answer that was requested before a call began is never used for it.
 */
export class TopicWatermark {
  private readonly ends: TopicEnds;
  private readonly endsNow: Batcher<undefined, EndsOrError>;
  private readonly appliedNow: Batcher<undefined, Awaited<ReturnType<typeof readApplied>>>;

  constructor(private readonly options: TopicWatermarkOptions) {
    const { connection, database, topic, consumer, answerMs = 3000 } = options;
    this.ends = new TopicEnds(connection, topic);
    // It never fails, or each caller that shares a request would repeat it alone.
    this.endsNow = new Batcher(
      async (callers) => {
        const answer = await this.answerOf(answerMs);
        return callers.map(() => answer);
      },
      { atMost: Number.POSITIVE_INFINITY },
    );
    this.appliedNow = new Batcher(
      async (callers) => {
        const applied = await readApplied(database, consumer, connection.topicName(topic));
        return callers.map(() => applied);
      },
      { atMost: Number.POSITIVE_INFINITY },
    );
  }

  /**
   * @param waitMs how long to wait until the messages now on the topic are applied: on a busy topic there are always
   * some on their way.
   * @returns the remaining ones then.
   * @throws Error when the brokers do not answer, or refuse to.
   */
  async unread(waitMs: number): Promise<Unread> {
    const until = performance.now() + waitMs;
    const before = await this.appliedNow.ask(undefined);
    const answer = await this.endsNow.ask(undefined);
    if ('error' in answer) throw answer.error;
    for (;;) {
      const unread = unreadOf(answer.ends, await this.appliedNow.ask(undefined), before);
      if (isAllApplied(unread) || performance.now() >= until) return unread;
      await delay(checkEveryMs);
    }
  }

  /** A topic partition by its name in the cluster, `curtail.inventory/3`. */
  placeOf(partition: number): string {
    return `${this.options.connection.topicName(this.options.topic)}/${partition}`;
  }

  close(): Promise<void> {
    return this.ends.close();
  }

  private async answerOf(answerMs: number): Promise<EndsOrError> {
    const asked: Promise<EndsOrError> = this.ends.now().then(
      (ends) => ({ ends }),
      (error: Error) => ({ error }),
    );
    if (await endsWithin(asked, answerMs)) return asked;
    void this.ends.close();
    return { error: new NoAnswer(`Kafka did not answer within ${answerMs} ms`) };
  }
}

type EndsOrError = { ends: Map<number, Ends> } | { error: Error };
