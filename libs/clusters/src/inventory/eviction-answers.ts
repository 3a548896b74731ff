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
      for (const { answer, source } of said) {
        const request = asked.get(answer.evictionId)!;
        if (!isOfAnother(source, request)) await note(tx, answer, request);
      }
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

async function note(
  tx: Tx,
  answer: Answer,
  { evictionId, partition, allocation, uid }: Asked,
): Promise<void> {
  await tx.query(
    `UPDATE inventory_evictions SET answer = $3
     WHERE eviction_id = $1 AND answer IS NULL AND (attempt = $2 OR $4)`,
    [evictionId, answer.attempt, JSON.stringify(answer), answer.answer !== 'refused'],
  );
  if (answer.answer === 'refused') return;
  const change =
    answer.answer === 'accepted'
      ? "eviction_id = $4, state = CASE WHEN state = 'running' THEN 'releasing' ELSE state END"
      : 'eviction_id = $4, gone = true';
  await tx.query(
    `UPDATE inventory_allocations SET ${change}, changed_at = now()
     WHERE partition = $1 AND id = $2 AND uid = $3 AND NOT gone AND eviction_id IS NULL`,
    [partition, allocation, uid, evictionId],
  );
}
