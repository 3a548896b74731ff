import { Controller } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { DataSource } from 'typeorm';
import { clusterOf, InputError } from '#contracts';
import { inboundTopics } from '#contracts/events';
import { announce, type KnownEvent } from '#event-store';
import { type ConsumerOptions, type Effects, EVENT_BUS_TRANSPORT } from '#messaging';
import { AnswerWakeUps } from './answer-wake-ups.js';
import { type Asked, noteAnswers, requestsOf } from './eviction-table.js';
import { lockInventories } from './partition-table.js';
import { notePlatformClocks } from './senders.js';

/**
 * Records the platform's answers to eviction requests, and wakes the waiting callers. The first answer to an attempt counts. An
 * acceptance or a missing victim holds for every attempt; a refusal holds for its own attempt only.
 */
@Controller()
export class EvictionAnswers {
  constructor(
    private readonly db: DataSource,
    private readonly wakeUps: AnswerWakeUps,
  ) {}

  @EventPattern(inboundTopics.evictionAnswers, EVENT_BUS_TRANSPORT, {
    name: 'inventory-answers',
    batchSize: 100,
  } satisfies ConsumerOptions)
  async handle(events: KnownEvent[]): Promise<Effects | undefined> {
    const received = events.flatMap((event) =>
      event.name === 'EvictionAnswered' ? [{ answer: event.data, source: event.source }] : [],
    );
    const answers = received.map(({ answer }) => answer);
    if (answers.length === 0) return undefined;
    const asked = await requestsOf(this.db, answers);
    for (const { evictionId } of answers) {
      if (asked.has(evictionId)) continue;
      throw new InputError(
        'evictionId',
        `no eviction ${evictionId} was requested in the last days: copy the evictionId of EvictionRequested`,
      );
    }
    return async (tx) => {
      await lockInventories(tx, [...new Set([...asked.values()].map((one) => one.partition))]);
      await notePlatformClocks(tx, events, (event) =>
        event.name === 'EvictionAnswered' ? asked.get(event.data.evictionId)?.partition : undefined,
      );
      await noteAnswers(
        tx,
        received.flatMap(({ answer, source }) => {
          const request = asked.get(answer.evictionId)!;
          return isOfAnother(source, request) ? [] : [{ answer, request }];
        }),
      );
      announce(tx, [inboundTopics.evictionAnswers]);
      return () => this.wakeUps.wake(asked.keys());
    };
  }
}

/** An agent of another cluster under the same partition does not find the allocation, and answers that it is gone. */
function isOfAnother(source: string | undefined, { cluster }: Asked): boolean {
  const sender = clusterOf(source);
  return sender !== undefined && cluster !== null && sender !== cluster;
}
