import type { ClusterSnapshot, DisruptionBudget, QuotaDecreaseSettings, RecentVictim } from '#contracts';
import { numbers } from './inputs.js';

/** The inputs of victim care, each with the settings that use it. */
export const careParts = {
  'minimum run time': { minRunSeconds: 600 },
  'age from checkpoints': { ageFrom: 'checkpoint' },
  'disruption budgets': {},
  'disruption budgets, last': { disruptionBudgets: 'last' },
  'owner budgets': { ownerBudgets: [{ per: 'user', victims: 400, seconds: 3600 }] },
  gangs: {},
  'shares and limits': {},
} satisfies Record<string, QuotaDecreaseSettings>;

export type CarePart = keyof typeof careParts;

const serving = 4;
const checkpointed = 5;

/**
 * The same cluster with inputs of victim care: every fourth application serves and has a disruption budget of a tenth of its members;
 * every fifth allocation has a checkpoint; every twentieth application is a gang that needs half of its members; users had 2,000
 * victims in the last two hours; every fifth child of the queue has a limit of a tenth of the memory, and three have a share.
 */
export function withCare(
  snapshot: ClusterSnapshot,
  parts: readonly CarePart[],
  seed: number,
): ClusterSnapshot {
  const has = (...names: CarePart[]): boolean => names.some((name) => parts.includes(name));
  const next = numbers((seed * 2_654_435_761) | 1);
  const takenAt = Date.parse(snapshot.takenAt);
  const members = new Map<string, number>();
  for (const { application } of snapshot.allocations) {
    members.set(application, (members.get(application) ?? 0) + 1);
  }
  const budgetOf = new Map<string, DisruptionBudget>();
  if (has('disruption budgets', 'disruption budgets, last')) {
    for (const [i, { id }] of snapshot.applications.entries()) {
      const allowed = Math.ceil((members.get(id) ?? 0) / 10);
      if (i % serving === 0) budgetOf.set(id, { id: `budget-${id}`, allowed });
    }
  }
  const recentVictims: RecentVictim[] = has('owner budgets')
    ? Array.from({ length: 2000 }, () => ({
        user: `user-${next(200)}`,
        application: `gone-${next(1000)}`,
        queue: 'root.p',
        at: new Date(takenAt - next(7_200_000)).toISOString(),
      }))
    : [];
  let children = 0;
  return {
    ...snapshot,
    budgets: [...budgetOf.values()],
    recentVictims,
    queues: snapshot.queues.map((queue) => {
      if (!has('shares and limits') || !queue.path.startsWith('root.p.')) return queue;
      const number = children++;
      return {
        ...queue,
        properties: {
          ...(number < 3 ? { 'quota.preemption.share': 5 } : {}),
          ...(number % 5 === 0 ? { 'quota.preemption.limit': { memory: '400Gi', vcore: 200 } } : {}),
        },
      };
    }),
    applications: snapshot.applications.map((application, i) =>
      has('gangs') && i % 20 === 0
        ? {
            ...application,
            gang: { minMembers: Math.max(1, Math.floor((members.get(application.id) ?? 0) / 2)) },
          }
        : application,
    ),
    allocations: snapshot.allocations.map((allocation, i) => {
      const budget = budgetOf.get(allocation.application);
      const saves = has('age from checkpoints') && i % checkpointed === 0;
      if (budget === undefined && !saves) return allocation;
      return {
        ...allocation,
        ...(budget === undefined ? {} : { budgets: [budget.id] }),
        ...(saves ? { checkpointedAt: new Date(takenAt - next(3_600_000)).toISOString() } : {}),
      };
    }),
  };
}

export const settingsOf = (parts: readonly CarePart[]): QuotaDecreaseSettings =>
  Object.assign({}, ...parts.map((part) => careParts[part]));
