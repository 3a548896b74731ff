import { createHash } from 'node:crypto';
import type { DataSource } from 'typeorm';
import type { DomainEvent } from '#contracts';
import { append, packSnapshot, planStream, storeSnapshots, type Tx } from '#event-store';
import { type MadeRound, type Round, type RoundsOfPartition, type SettledRound, settleRound } from '#rounds';
import { ownersOf, planComputedEvent } from '../record/plan-computed.js';

/** A round covers all queues: its run and its events belong to this one. */
export const roundQueue = 'root';

/** Ignores the order: the same allocations are the same set. */
export function digestOfVictims(victims: readonly { allocation: string; uid?: string }[]): string {
  const names = victims.map(({ allocation, uid }) => `${allocation} ${uid ?? ''}`).sort();
  return createHash('sha256').update(names.join('\n')).digest('hex');
}

function startedEvent(round: Round, skipped: number): DomainEvent<'RoundStarted'> {
  const { policy, partition, enforcement, fencingToken, dueAt, startedAt } = round;
  return {
    name: 'RoundStarted',
    data: {
      partition,
      queue: roundQueue,
      enforcement,
      policy,
      round: round.round,
      fencingToken,
      dueAt: dueAt.toISOString(),
      startedAt: startedAt.toISOString(),
      lateMs: Math.max(0, startedAt.getTime() - dueAt.getTime()),
      skipped,
    },
  };
}

function computedEvent(
  { policy, partition, enforcement, fencingToken }: Round,
  { snapshot, plan, rules, settings, planSeconds }: MadeRound,
  snapshotDigest: string,
  mode: 'observe' | 'enforce',
): DomainEvent<'PlanComputed'> {
  const owners = ownersOf(snapshot, plan);
  const taken = new Set(plan.victims.map(({ queue }) => queue));
  return planComputedEvent(
    { partition, queue: roundQueue, enforcement, fencingToken },
    {
      snapshot,
      snapshotDigest,
      plan,
      trigger: { policy },
      settings,
      mode,
      planSeconds,
      ...(rules && { rules }),
      ...(owners && { owners }),
      limit: { max: null },
      isCounted: (queue) => taken.has(queue),
    },
  );
}

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
    mode: RoundsOfPartition['mode'];
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
