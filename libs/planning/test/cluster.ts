import type {
  ClusterSnapshot,
  Plan,
  QuotaDecreaseSettings,
  QuotaDecreaseTrigger,
  Resources,
  SnapshotAllocation,
  SnapshotQueue,
} from '#contracts';
import { planGiven } from '#planning';

type Written = Partial<SnapshotAllocation> & { id: string };

/** A snapshot with the parents of all queues; one application `app` unless others are given. */
export function cluster(
  queues: SnapshotQueue[],
  allocations: Written[],
  applications: ClusterSnapshot['applications'] = [{ id: 'app', queue: 'root' }],
): ClusterSnapshot {
  const paths = new Set(queues.map((queue) => queue.path));
  const parents = new Set(
    queues.flatMap(({ path }) => path.split('.').map((_, i, names) => names.slice(0, i).join('.'))),
  );
  return {
    apiVersion: 'curtail/v1',
    kind: 'ClusterSnapshot',
    takenAt: '2026-11-21T12:00:00.000Z',
    partition: 'default',
    queues: [
      ...[...parents].filter((path) => path !== '' && !paths.has(path)).map((path) => ({ path })),
      ...queues,
    ],
    applications,
    allocations: allocations.map((allocation) => ({
      application: 'app',
      queue: 'root.q',
      resources: { memory: 10 },
      startedAt: '2026-11-21T09:00:00.000Z',
      ...allocation,
    })),
  };
}

/** The queue `root.q`, a leaf with a max. */
export function leafOf(
  max: Resources,
  allocations: Written[],
  more: Partial<SnapshotQueue> = {},
): ClusterSnapshot {
  return cluster([{ path: 'root.q', max, ...more }], allocations);
}

export function planOf(
  snapshot: ClusterSnapshot,
  settings: QuotaDecreaseSettings = {},
  trigger: Partial<QuotaDecreaseTrigger> = {},
): Plan {
  return planGiven({
    snapshot,
    trigger: { policy: 'quota-decrease', queue: 'root.q', ...trigger },
    settings,
  });
}

export const idsOf = (plan: Plan): string[] => plan.victims.map((victim) => victim.allocation);
export const codesOf = (plan: Plan): string[] => plan.notices.map((notice) => notice.code);

/** The reason by allocation. */
export const sparedIn = (plan: Plan): Record<string, string> =>
  Object.fromEntries(plan.spared!.map(({ allocation, reason }) => [allocation, reason]));
