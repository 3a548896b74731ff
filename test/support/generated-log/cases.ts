import type { ClusterSnapshot, Plan, Resources, Trigger } from '#contracts';
import { digestOfPlan, type PackedSnapshot, packSnapshot } from '#event-store';
import { DecidingRules, plan, type RuleRun, readSnapshot } from '#planning';
import type { Chance } from '../chance.js';

/** A queue above its quota with the plan that brings it down: what runs of a generated log are about. */
export interface PlannedCase {
  queue: string;
  previousMax: Resources;
  max: Resources;
  trigger: Trigger;
  settings: { quotaPreemptionEnabled: true };
  plan: Plan;
  rules: RuleRun[];
  planDigest: string;
  packed: PackedSnapshot;
  queueAllocations: number;
  queueUsage: Resources;
}

const settings = { quotaPreemptionEnabled: true } as const;

/** Real snapshots and real plans: made again, they come out the same. */
export async function plannedCases(chance: Chance, count: number): Promise<PlannedCase[]> {
  const cases: PlannedCase[] = [];
  for (let i = 0; i < count; i++) cases.push(await plannedCase(chance, `root.team-${i}`));
  return cases;
}

async function plannedCase(chance: Chance, queue: string): Promise<PlannedCase> {
  const { snapshot, previousMax, max } = crowdedQueue(chance, queue);
  const trigger: Trigger = { policy: 'quota-decrease', queue };
  const rules = new DecidingRules();
  const made = plan(readSnapshot(snapshot), trigger, settings, rules);
  return {
    queue,
    previousMax,
    max,
    trigger,
    settings,
    plan: made,
    rules: rules.runs,
    planDigest: digestOfPlan(made),
    packed: await packSnapshot(snapshot),
    queueAllocations: snapshot.allocations.length,
    queueUsage: previousMax,
  };
}

function crowdedQueue(
  chance: Chance,
  queue: string,
): { snapshot: ClusterSnapshot; previousMax: Resources; max: Resources } {
  const application = (i: number) => `${queue.slice(5)}-job-${i % 4}`;
  const allocations = Array.from({ length: 12 + chance.below(24) }, (_, i) => ({
    id: `${application(i)}-task-${i}`,
    application: application(i),
    queue,
    node: `node-${chance.below(200)}`,
    uid: chance.uuid(),
    resources: { memory: (1 + chance.below(16)) * 2 ** 29, vcore: (1 + chance.below(8)) * 500 },
    startedAt: new Date(Date.UTC(2026, 10, 20, 8) + chance.below(7_200_000)).toISOString(),
    ...(i % 4 === 0 && i < 4 ? { role: 'originator' as const } : {}),
  }));
  const used = { memory: 0, vcore: 0 };
  for (const { resources } of allocations) {
    used.memory += resources.memory;
    used.vcore += resources.vcore;
  }
  const max = { memory: Math.floor(used.memory * chance.between(0.6, 0.9)), vcore: used.vcore };
  return {
    previousMax: used,
    max,
    snapshot: {
      apiVersion: 'curtail/v1',
      kind: 'ClusterSnapshot',
      takenAt: '2026-11-20T10:00:00.000Z',
      partition: 'default',
      queues: [
        { path: 'root' },
        { path: queue, max, guaranteed: { memory: Math.floor(used.memory * chance.between(0.2, 0.8)) } },
      ],
      applications: [0, 1, 2, 3].map((i) => ({ id: application(i), queue, priority: chance.below(5) })),
      allocations,
    },
  };
}
