import type { ClusterSnapshot, IntraQueueSettings, Plan, Resources, SnapshotQueue } from '#contracts';
import { planGiven } from '#planning';

export const GIB = 2 ** 30;

/** An application of the queue `root.default`; its first allocation is its master. */
export interface Written {
  id: string;
  user?: string;
  priority?: number;
  /** Allocations that it has, and wants, of 1 GiB each. */
  has?: number;
  wants?: number;
  /** Of them, how many are preempting: the youngest. */
  leaving?: number;
  /** The second at which its first allocation started; the others follow one a step. */
  from?: number;
  step?: number;
  lastPreemptedAt?: string;
}

const second = (from: number): string => new Date(Date.UTC(2026, 10, 21, 8) + from * 1000).toISOString();

/** A queue of 100 GiB that is the whole cluster. Applications are submitted in the order in which they stand. */
export function inQueue(written: Written[], queue: Partial<SnapshotQueue> = {}): ClusterSnapshot {
  const whole: Resources = { memory: 100 * GIB };
  return {
    apiVersion: 'curtail/v1',
    kind: 'ClusterSnapshot',
    takenAt: '2026-11-21T12:00:00.000Z',
    partition: 'default',
    nodes: [{ id: 'n1', capacity: whole }],
    queues: [
      { path: 'root', max: whole, guaranteed: whole },
      { path: 'root.default', max: whole, guaranteed: whole, ...queue },
    ],
    applications: written.map(({ id, user = 'hadoop1', priority = 1, wants = 0, lastPreemptedAt }, i) => ({
      id,
      queue: 'root.default',
      user,
      priority,
      submittedAt: second(i),
      pending: wants === 0 ? [] : [{ resources: { memory: GIB }, count: wants }],
      properties: lastPreemptedAt === undefined ? {} : { lastPreemptedAt },
    })),
    allocations: written.flatMap(({ id, has = 0, leaving = 0, from = 100, step = 1 }) =>
      Array.from({ length: has }, (_, i) => ({
        id: `${id}-${String(i + 1).padStart(3, '0')}`,
        application: id,
        queue: 'root.default',
        resources: { memory: GIB },
        startedAt: second(from + i * step),
        role: i === 0 ? ('originator' as const) : ('task' as const),
        state: i >= has - leaving ? ('preempting' as const) : ('running' as const),
      })),
    ),
  };
}

/** Nothing but what is right limits a round. */
export const FREE = { maxAllowableLimit: 1, totalPreemptionPerRound: 1 } satisfies IntraQueueSettings;
export const PRIORITY = { ...FREE, preemptionOrderPolicy: 'priority-first' } satisfies IntraQueueSettings;

export function planOf(snapshot: ClusterSnapshot, settings: IntraQueueSettings = FREE, queue?: string): Plan {
  const trigger = { policy: 'intra-queue', ...(queue === undefined ? {} : { queue }) };
  return planGiven({ snapshot, trigger, settings });
}

/** How many allocations each application loses. */
export function lost(plan: Plan): Record<string, number> {
  const count: Record<string, number> = {};
  for (const { application } of plan.victims) count[application] = (count[application] ?? 0) + 1;
  return count;
}

export const codes = (plan: Plan): string[] => plan.notices.map(({ code }) => code);
