import { Inject, Injectable } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { InputError } from '#contracts';
import type { ReplayRequest, Republication } from '#contracts/api';
import { catalog, topics } from '#contracts/events';
import { countRange, type LogRange, readOutgoingRange } from '#event-store';
import { REPUBLISHER, type Republisher } from '#messaging';
import { ProblemException } from '#platform';
import type { ReplayContext, ReplayWork } from '../work/replay-work.js';

/**
 * Notifications may be repeated. Eviction requests may not: a scheduler that carries them out may ignore the replay mark, and a
 * replay must never kill.
 */
export const republishedTopics: readonly string[] = Object.values(topics).filter(
  (topic) =>
    topic !== topics.evictionRequests && Object.values(catalog).some((entry) => entry.topic === topic),
);

/** @throws InputError that lists the known topics. */
export function checkedTopic(topic: string): string {
  if (republishedTopics.includes(topic)) return topic;
  if (topic === topics.evictionRequests) {
    throw new InputError(
      'topic',
      `${topic} holds requests to evict, and a replay must not kill; there are ${republishedTopics.join(', ')}`,
    );
  }
  throw new InputError('topic', `there is no such topic; there are ${republishedTopics.join(', ')}`);
}

/** Events read with one statement, and acknowledged by the brokers before the position is stored. */
const pageSize = 2000;

/**
 * Publishes recorded events of a topic to Kafka again, in the order of the log, with their original ids. After a crash, events sent
 * since the last stored position are sent again.
 */
@Injectable()
export class RepublishEvents implements ReplayWork {
  readonly unit = 'events';

  constructor(@Inject(REPUBLISHER) private readonly kafka: Republisher | null) {}

  /** @throws ProblemException 409 without Kafka. */
  assertKafka(): void {
    if (this.kafka) return;
    throw new ProblemException({
      code: 'no-kafka',
      title: 'There is no Kafka',
      status: 409,
      detail:
        'This Curtail has no Kafka to publish to: its services read the log themselves; programs outside cannot.',
      remedy: 'Set KAFKA_BROKERS and start it again (docs/how-to/kafka.md).',
    });
  }

  count(db: DataSource, request: ReplayRequest): Promise<number> {
    return countRange(db, eventsOf(request));
  }

  async run(db: DataSource, context: ReplayContext): Promise<Republication> {
    this.assertKafka();
    let { cursor, done } = context;
    try {
      for (let isOver = false; !isOver; ) {
        const { events, next, atEnd } = await readOutgoingRange(
          db,
          cursor,
          eventsOf(context.request),
          pageSize,
        );
        if (events.length > 0) await this.kafka?.republish(events);
        cursor = next;
        done += events.length;
        isOver = atEnd;
        const place = { cursor, done, of: Math.max(context.of, done) };
        await context.transaction((tx) => context.moveOn(tx, place));
        if (!isOver) context.goOnUnlessStopped();
      }
    } finally {
      await this.kafka?.close();
    }
    return { topic: context.request.topic!, events: done };
  }
}

const eventsOf = ({ topic, from, to }: ReplayRequest): LogRange => ({
  ...(topic ? { topic } : {}),
  ...(from ? { from } : {}),
  ...(to ? { to } : {}),
});
