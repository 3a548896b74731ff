import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ClusterSnapshot, Plan, Resources, SnapshotAllocation } from '#contracts';
import { planGiven } from '#planning';
import { propertyRuns } from '../../testing/property-runs.js';
import { TYPES } from './naive-tree.js';
import { crowdedCase, type FairShareCase, fairShareCase } from './trees.js';

/*
 * docs/reference/policies/fair-share.md §20: no member of step 2 or 3a can be given back. Usage is added up here from the input, victim by
 * victim, so that nothing of the planner judges its own work.
 */

const RUNS = propertyRuns(150);

/** Nodes and operations that hold more than they may, often in one type only. */
const tightCase: fc.Arbitrary<FairShareCase> = fc
  .record({
    input: crowdedCase,
    less: fc.record({ vcore: fc.integer({ min: 0, max: 8 }), memory: fc.integer({ min: 0, max: 6 }) }),
    limit: fc.record({ vcore: fc.integer({ min: 2, max: 20 }), memory: fc.integer({ min: 1, max: 15 }) }),
    tolerance: fc.constantFrom({}, { vcore: 1 }, { memory: 2 }),
  })
  .map(({ input: { snapshot, settings }, less, limit, tolerance }) => ({
    settings,
    snapshot: {
      ...snapshot,
      nodes: snapshot.nodes!.map((node) => ({
        ...node,
        capacity: {
          vcore: Math.max(0, amount(node.capacity, 'vcore') - less.vcore),
          memory: Math.max(0, amount(node.capacity, 'memory') - less.memory),
        },
      })),
      queues: snapshot.queues.map((queue) => ({
        ...queue,
        max: limit,
        properties: { ...queue.properties, resourceLimitsOvercommitTolerance: tolerance },
      })),
    },
  }));
const anyCase = fc.oneof(fairShareCase, tightCase);

const amount = (resources: Resources | null | undefined, type: string): number => resources?.[type] ?? 0;
const total = (some: readonly SnapshotAllocation[], type: string): number =>
  some.reduce((sum, { resources }) => sum + amount(resources, type), 0);
const runningIn = ({ allocations }: ClusterSnapshot) =>
  allocations.filter(({ state = 'running' }) => state === 'running');

/** The elements that are over in a type when these run: the pools and the operation above one of them. */
function isOverAbove(
  { id, application, queue }: SnapshotAllocation,
  type: string,
  running: SnapshotAllocation[],
  { queues, applications }: ClusterSnapshot,
): boolean {
  const isOver = (some: SnapshotAllocation[], limit: unknown, tolerance: unknown): boolean => {
    const most = (limit as Resources | undefined)?.[type];
    return most !== undefined && total(some, type) > most + amount(tolerance as Resources, type);
  };
  expect(running.map((one) => one.id)).toContain(id);
  const own = applications.find((one) => one.id === application)?.properties ?? {};
  return (
    isOver(
      running.filter((one) => one.application === application),
      own.resourceLimits,
      own.resourceLimitsOvercommitTolerance,
    ) ||
    queues.some(({ path, max, properties }) => {
      if (queue !== path && !queue.startsWith(`${path}.`)) return false;
      const inside = running.filter((one) => one.queue === path || one.queue.startsWith(`${path}.`));
      return isOver(inside, max ?? undefined, properties?.resourceLimitsOvercommitTolerance);
    })
  );
}

/** @returns how many victims were checked. */
function check(
  cases: fc.Arbitrary<FairShareCase>,
  checkVictims: (plan: Plan, snapshot: ClusterSnapshot) => number,
): number {
  let seen = 0;
  fc.assert(
    fc.property(cases, ({ snapshot, settings }) => {
      seen += checkVictims(planGiven({ snapshot, trigger: { policy: 'fair-share' }, settings }), snapshot);
    }),
    RUNS,
  );
  return seen;
}

it('any victim for a limit: given back, something above it would be over in a type that it holds', () => {
  const seen = check(anyCase, ({ victims }, snapshot) => {
    const taken = victims.filter(({ cause }) => cause === 'resource-limits');
    const gone = new Set(taken.map(({ allocation }) => allocation));
    const running = runningIn(snapshot);
    for (const { allocation } of taken) {
      const victim = running.find(({ id }) => id === allocation)!;
      const left = running.filter((one) => one === victim || !gone.has(one.id));
      const held = TYPES.filter((type) => amount(victim.resources, type) > 0);
      expect(held.filter((type) => isOverAbove(victim, type, left, snapshot))).not.toEqual([]);
    }
    return taken.length;
  });
  expect(seen).toBeGreaterThan(RUNS.numRuns / 10);
});

it('any victim for what a node holds: given back, something would be missing in a type that it holds', () => {
  const seen = check(anyCase, ({ victims }, snapshot) => {
    let checked = 0;
    const running = runningIn(snapshot).filter(
      ({ id }) => !victims.some(({ allocation, cause }) => allocation === id && cause === 'resource-limits'),
    );
    for (const node of snapshot.nodes!) {
      // An overcommit that has lasted too long is step 3b, where some have to go that no set would include.
      const since = node.properties?.overcommittedSince;
      if (typeof since === 'string' && Date.parse(snapshot.takenAt) - Date.parse(since) > 15_000) continue;
      const onNode = running.filter((one) => one.node === node.id);
      const taken = victims.filter((one) => one.cause === 'overcommit' && one.node === node.id);
      const gone = new Set(taken.map(({ allocation }) => allocation));
      for (const { allocation } of taken) {
        const victim = onNode.find(({ id }) => id === allocation)!;
        const left = onNode.filter((one) => one === victim || !gone.has(one.id));
        const tooMuch = TYPES.filter(
          (type) => amount(victim.resources, type) > 0 && total(left, type) > amount(node.capacity, type),
        );
        expect(tooMuch).not.toEqual([]);
      }
      checked += taken.length;
    }
    return checked;
  });
  expect(seen).toBeGreaterThan(RUNS.numRuns / 10);
});
