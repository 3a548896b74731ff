import type { DataSource } from 'typeorm';
import { append, packSnapshot, planStream, storeSnapshots, type Tx } from '#event-store';
import { type MadeRound, type PartitionState, type Round, type SettledRound, settleRound } from '#rounds';
import { computedEvent, roundQueue, startedEvent } from './round-events.js';

/** The time for the executor to take a round over; then it renews the lease itself. */
const executorLeaseMs = 60_000;

/**
 * Records a round that changes something: its plan is logged with its input, and the executor takes it over.
 *
 * @param settled.alongside written in the same transaction.
 * @throws RoundLost
 */
export async function recordRound(
  db: DataSource,
  round: Round,
  made: MadeRound,
  {
    mode,
    snapshotRetentionDays,
    alongside,
    ...settled
  }: Omit<SettledRound, 'leaseMs' | 'settings'> & {
    mode: PartitionState['mode'];
    snapshotRetentionDays: number;
    alongside: ((tx: Tx) => Promise<void>) | undefined;
  },
): Promise<void> {
  const packed = await packSnapshot(made.snapshot);
  await db.transaction(async (tx) => {
    const skipped = await settleRound(tx, round, {
      ...settled,
      settings: made.configured,
      leaseMs: executorLeaseMs,
    });
    await alongside?.(tx);
    const events = [startedEvent(round, skipped), computedEvent(round, made, packed.digest, mode)];
    await append(tx, [
      {
        stream: planStream(round.enforcement),
        partition: round.partition,
        expectedVersion: 0,
        events: events.map((event) => ({ event, key: roundQueue })),
      },
    ]);
    // Last, because threads compress the snapshot until then.
    await storeSnapshots(tx, [packed], snapshotRetentionDays);
  });
}
