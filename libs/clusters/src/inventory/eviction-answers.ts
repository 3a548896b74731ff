import { clusterOf, type EventData, InputError } from '@curtail/contracts';
import { inboundTopics } from '@curtail/contracts/events';
import { announce, type KnownEvent, type Tx } from '@curtail/event-store';
import type { Consumer, Effects } from '@curtail/messaging';
import type { DataSource } from 'typeorm';
import type { AnswerWakeUps } from './answer-wake-ups.js';
import { lockInventory } from './lock.js';
import { notePlatformClocks } from './platform-clocks.js';

type Answer = EventData<'EvictionAnswered'>;
interface Asked {
  evictionId: string;
  partition: string;
  allocation: string;
  uid: string;
  /** Which one the partition is, if that is known. */
  cluster: string | null;
}

/**
 * Notes what the platform says to requests for eviction, and wakes who waits. The first answer to an attempt counts. That
 * a kill is accepted, or that its victim is not there, is true of every attempt; a refusal is true of its own alone.
 */
export class EvictionAnswers implements Consumer {
  readonly name = 'inventory-answers';
  readonly topics = [inboundTopics.evictionAnswers];
  readonly batchSize = 100;

  constructor(
    private readonly db: DataSource,
    private readonly wakeUps: AnswerWakeUps,
  ) {}

  async handle(events: KnownEvent[]): Promise<Effects | undefined> {
    const said = events.flatMap((event) =>
      event.name === 'EvictionAnswered' ? [{ answer: event.data, source: event.source }] : [],
    );
    const answers = said.map(({ answer }) => answer);
    if (answers.length === 0) return undefined;
    const asked = await this.requestsOf(answers);
    for (const { evictionId } of answers) {
      if (asked.has(evictionId)) continue;
      throw new InputError(
        'evictionId',
        `no eviction ${evictionId} was asked for in the last days: copy the evictionId of EvictionRequested`,
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
        said.flatMap(({ answer, source }) => {
          const request = asked.get(answer.evictionId)!;
          return isOfAnother(source, request) ? [] : [{ answer, request }];
        }),
      );
      announce(tx, this.topics);
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

/** An agent of another cluster under the same partition does not find the allocation there, and says that it is gone. */
function isOfAnother(source: string | undefined, { cluster }: Asked): boolean {
  const said = clusterOf(source);
  return said !== undefined && cluster !== null && said !== cluster;
}

/** Notes answers in their order, with as many statements as for one. */
async function note(tx: Tx, said: { answer: Answer; request: Asked }[]): Promise<void> {
  if (said.length === 0) return;
  await tx.query(NOTE_ANSWERS, [
    said.map(({ answer }) => answer.evictionId),
    said.map(({ answer }) => answer.attempt),
    said.map(({ answer }) => JSON.stringify(answer)),
    said.map(({ answer }) => answer.answer !== 'refused'),
  ]);
  const ending = said.filter(({ answer }) => answer.answer !== 'refused');
  if (ending.length === 0) return;
  await tx.query(NOTE_ENDS, [
    ending.map(({ request }) => request.partition),
    ending.map(({ request }) => request.allocation),
    ending.map(({ request }) => request.uid),
    ending.map(({ request }) => request.evictionId),
    ending.map(({ answer }) => answer.answer !== 'accepted'),
  ]);
}

/** $1 eviction ids, $2 attempts, $3 answers, $4 whether the answer is true of every attempt. */
const NOTE_ANSWERS = `
  UPDATE inventory_evictions asked SET answer = first.answer
  FROM (SELECT DISTINCT ON (said.eviction_id) said.*
        FROM unnest($1::text[], $2::int[], $3::jsonb[], $4::boolean[]) WITH ORDINALITY
          AS said (eviction_id, attempt, answer, of_all, nr)
        JOIN inventory_evictions known ON known.eviction_id = said.eviction_id
        WHERE known.attempt = said.attempt OR said.of_all
        ORDER BY said.eviction_id, nr) AS first
  WHERE asked.eviction_id = first.eviction_id AND asked.answer IS NULL
    AND (asked.attempt = first.attempt OR first.of_all)`;

/** $1 partitions, $2 allocations, $3 uids, $4 eviction ids, $5 whether it is not there; else its eviction was accepted. */
const NOTE_ENDS = `
  UPDATE inventory_allocations a SET changed_at = now(), eviction_id = first.eviction_id,
    state = CASE WHEN a.state = 'running' AND NOT first.gone THEN 'releasing' ELSE a.state END, gone = first.gone
  FROM (SELECT DISTINCT ON (partition, id, uid) *
        FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::boolean[]) WITH ORDINALITY
          AS said (partition, id, uid, eviction_id, gone, nr)
        ORDER BY partition, id, uid, nr) AS first
  WHERE a.partition = first.partition AND a.id = first.id AND a.uid = first.uid AND NOT a.gone AND a.eviction_id IS NULL`;
