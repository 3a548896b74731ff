import { Controller } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { DataSource } from 'typeorm';
import { clusterOf, type EventData, InputError } from '#contracts';
import { inboundTopics } from '#contracts/events';
import { announce, type KnownEvent, type Tx } from '#event-store';
import { type ConsumerOptions, type Effects, EVENT_BUS_TRANSPORT } from '#messaging';
import { AnswerWakeUps } from './answer-wake-ups.js';
import { lockInventory } from './lock.js';
import { notePlatformClocks } from './platform-clocks.js';
import { presumeReplacements } from './replacements.js';

type Answer = EventData<'EvictionAnswered'>;
interface Asked {
  evictionId: string;
  partition: string;
  allocation: string;
  uid: string;
  /** The cluster that the partition belongs to, if known. */
  cluster: string | null;
}

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
    const asked = await this.requestsOf(answers);
    for (const { evictionId } of answers) {
      if (asked.has(evictionId)) continue;
      throw new InputError(
        'evictionId',
        `no eviction ${evictionId} was requested in the last days: copy the evictionId of EvictionRequested`,
      );
    }
    return async (tx) => {
      for (const partition of [...new Set([...asked.values()].map((one) => one.partition))].sort()) {
        await lockInventory(tx, partition);
      }
      await notePlatformClocks(tx, events, (event) =>
        event.name === 'EvictionAnswered' ? asked.get(event.data.evictionId)?.partition : undefined,
      );
      await note(
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

  private async requestsOf(answers: Answer[]): Promise<Map<string, Asked>> {
    const rows = await this.db.query<Asked[]>(
      `SELECT eviction_id AS "evictionId", partition, allocation, uid, cluster
       FROM inventory_evictions LEFT JOIN inventory_partitions USING (partition)
       WHERE eviction_id = ANY ($1)`,
      [answers.map(({ evictionId }) => evictionId)],
    );
    return new Map(rows.map((row) => [row.evictionId, row]));
  }
}

/** An agent of another cluster under the same partition does not find the allocation, and answers that it is gone. */
function isOfAnother(source: string | undefined, { cluster }: Asked): boolean {
  const sender = clusterOf(source);
  return sender !== undefined && cluster !== null && sender !== cluster;
}

/** Records answers in their order, with as many statements as for one. */
async function note(tx: Tx, received: { answer: Answer; request: Asked }[]): Promise<void> {
  if (received.length === 0) return;
  await tx.query(NOTE_ANSWERS, [
    received.map(({ answer }) => answer.evictionId),
    received.map(({ answer }) => answer.attempt),
    received.map(({ answer }) => JSON.stringify(answer)),
    received.map(({ answer }) => answer.answer !== 'refused'),
  ]);
  const ending = received.filter(({ answer }) => answer.answer !== 'refused');
  if (ending.length === 0) return;
  await tx.query(NOTE_ENDS, [
    ending.map(({ request }) => request.partition),
    ending.map(({ request }) => request.allocation),
    ending.map(({ request }) => request.uid),
    ending.map(({ request }) => request.evictionId),
    ending.map(({ answer }) => answer.answer !== 'accepted'),
  ]);
  await presumeReplacements(
    tx,
    ending
      .filter(({ answer }) => answer.answer === 'other-incarnation')
      .map(({ answer }) => answer.evictionId),
  );
}

/** $1 eviction ids, $2 attempts, $3 answers, $4 whether the answer holds for every attempt. */
const NOTE_ANSWERS = `
  UPDATE inventory_evictions asked SET answer = first.answer
  FROM (SELECT DISTINCT ON (sent.eviction_id) sent.*
        FROM unnest($1::text[], $2::int[], $3::jsonb[], $4::boolean[]) WITH ORDINALITY
          AS sent (eviction_id, attempt, answer, of_all, nr)
        JOIN inventory_evictions known ON known.eviction_id = sent.eviction_id
        WHERE known.attempt = sent.attempt OR sent.of_all
        ORDER BY sent.eviction_id, nr) AS first
  WHERE asked.eviction_id = first.eviction_id AND asked.answer IS NULL
    AND (asked.attempt = first.attempt OR first.of_all)`;

/** $1 partitions, $2 allocations, $3 uids, $4 eviction ids, $5 whether the allocation is gone; otherwise its eviction was accepted. */
const NOTE_ENDS = `
  UPDATE inventory_allocations a SET changed_at = now(), eviction_id = first.eviction_id,
    state = CASE WHEN a.state = 'running' AND NOT first.gone THEN 'releasing' ELSE a.state END, gone = first.gone
  FROM (SELECT DISTINCT ON (partition, id, uid) *
        FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::boolean[]) WITH ORDINALITY
          AS sent (partition, id, uid, eviction_id, gone, nr)
        ORDER BY partition, id, uid, nr) AS first
  WHERE a.partition = first.partition AND a.id = first.id AND a.uid = first.uid AND NOT a.gone AND a.eviction_id IS NULL`;
