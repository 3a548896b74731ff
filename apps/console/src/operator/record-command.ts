import type { DomainEvent } from '@curtail/contracts';
import { appendNext, type Tx } from '@curtail/event-store';
import type { DataSource } from 'typeorm';

/** Where a command is recorded. */
export interface CommandPlace {
  partition: string;
  stream: string;
  key: string;
}

/**
 * Records what an operator changes, with its effect in the same transaction. Commands of one stream take turns, by a lock of the
 * name of the stream, which the gate of evictions shares (apps/executor/src/eviction-gate.ts).
 *
 * @param effect gives the event, and what is answered. What it throws leaves everything as it was.
 */
export async function recordCommand<T>(
  db: DataSource,
  { partition, stream, key }: CommandPlace,
  effect: (tx: Tx) => Promise<{ event: DomainEvent; answer: T }>,
): Promise<T> {
  return db.transaction(async (tx) => {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [stream]);
    const { event, answer } = await effect(tx);
    await appendNext(tx, { stream, partition, events: [{ event, key }] });
    return answer;
  });
}
