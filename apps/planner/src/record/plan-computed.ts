import {
  type ClusterSnapshot,
  type DomainEvent,
  type EventData,
  type Limit,
  type Plan,
  totalOf,
} from '#contracts';
import { digestOfPlan } from '#event-store';

type Computed = EventData<'PlanComputed'>;

/** A plan, what it was made from, and how it is recorded. */
export interface MadePlan
  extends Pick<Computed, 'snapshotDigest' | 'rules' | 'owners' | 'mode' | 'planSeconds'> {
  snapshot: ClusterSnapshot;
  plan: Plan;
  trigger: { policy: string };
  settings: object;
  /** The limit that the run enforces. */
  limit: Limit;
  /** The queues whose own allocations measure the size of the plan. */
  isCounted: (queue: string) => boolean;
}

/** The record of a plan of any policy; recomputing it from the snapshot, trigger and settings gives the same digest. */
export function planComputed(
  {
    partition,
    queue,
    enforcement,
    fencingToken,
    configuration,
  }: Pick<Computed, 'partition' | 'queue' | 'enforcement' | 'fencingToken' | 'configuration'>,
  {
    snapshot,
    snapshotDigest,
    plan,
    trigger,
    settings,
    rules = [],
    owners,
    mode,
    limit,
    isCounted,
    planSeconds,
  }: MadePlan,
): DomainEvent<'PlanComputed'> {
  const counted = snapshot.allocations.filter(({ queue: of }) => isCounted(of));
  return {
    name: 'PlanComputed',
    data: {
      partition,
      queue,
      enforcement,
      fencingToken,
      ...(configuration !== undefined && { configuration }),
      snapshotDigest,
      trigger: { ...trigger },
      settings: { ...settings },
      planDigest: digestOfPlan(plan),
      plan,
      ...(rules.length > 0 ? { rules } : {}),
      ...(owners ? { owners } : {}),
      takenAt: snapshot.takenAt,
      mode,
      ...limit,
      queueAllocations: counted.length,
      queueUsage: totalOf(counted),
      planSeconds,
    },
  };
}
