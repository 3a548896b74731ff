import { createHash } from 'node:crypto';
import type { DomainEvent } from '#contracts';
import type { MadeRound, Round } from '#rounds';
import { ownersOf } from '../record/owners-of.js';
import { planComputed } from '../record/plan-computed.js';

/** A round covers all queues: its run and its events belong to this one. */
export const roundQueue = 'root';

/** Ignores the order: the same allocations are the same set. */
export function digestOf(victims: readonly { allocation: string; uid?: string }[]): string {
  const names = victims.map(({ allocation, uid }) => `${allocation} ${uid ?? ''}`).sort();
  return createHash('sha256').update(names.join('\n')).digest('hex');
}

export function startedEvent(round: Round, skipped: number): DomainEvent<'RoundStarted'> {
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

export function computedEvent(
  { policy, partition, enforcement, fencingToken }: Round,
  { snapshot, plan, rules, settings, planSeconds }: MadeRound,
  snapshotDigest: string,
  mode: 'observe' | 'enforce',
): DomainEvent<'PlanComputed'> {
  const owners = ownersOf(snapshot, plan);
  const taken = new Set(plan.victims.map(({ queue }) => queue));
  return planComputed(
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
