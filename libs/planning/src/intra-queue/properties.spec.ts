import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ClusterSnapshot, Plan } from '#contracts';
import { planGiven } from '#planning';
import { permutations } from '../../../../test/vectors/permute.js';
import { crowdedInQueueCase, type InQueueCase, inQueueCase } from '../../test/generated-in-queue-clusters.js';
import { propertyRuns } from '../../testing/property-runs.js';

const RUNS = propertyRuns(150);
const anyCase = fc.oneof(inQueueCase, crowdedInQueueCase, crowdedInQueueCase);

const holds = (check: (plan: Plan, input: InQueueCase) => void): void =>
  fc.assert(
    fc.property(anyCase, (input) =>
      check(planGiven({ ...input, settings: { ...input.settings, explain: true } }), input),
    ),
    RUNS,
  );

const isFixed = (role: string | undefined): boolean => role === 'originator' || role === 'daemon';

it('the order of the input does not matter', () => {
  holds((plan, { snapshot, ...rest }) => {
    const settings = { ...rest.settings, explain: true };
    for (const other of permutations(snapshot)) {
      expect(JSON.stringify(planGiven({ ...rest, snapshot: other, settings }))).toBe(JSON.stringify(plan));
    }
  });
});

it('masters, daemons and what does not run are never taken', () => {
  holds((plan, { snapshot }) => {
    const byId = new Map(snapshot.allocations.map((allocation) => [allocation.id, allocation]));
    for (const { allocation } of plan.victims) {
      expect(isFixed(byId.get(allocation)!.role)).toBe(false);
      expect(byId.get(allocation)!.state ?? 'running').toBe('running');
    }
  });
});

it('nothing is taken beyond the share of the cluster that a round has', () => {
  holds((plan, { snapshot, settings }) => {
    const capacity = snapshot.nodes?.[0]?.capacity;
    if (capacity === undefined) return;
    const share = settings.totalPreemptionPerRound ?? 0.1;
    const types = settings.resourceCalculator === 'dominant' ? Object.keys(capacity) : ['memory'];
    for (const type of types) {
      const taken = plan.victims.reduce((sum, { resources }) => sum + (resources[type] ?? 0), 0);
      const leaving = snapshot.allocations
        .filter(({ state }) => (state ?? 'running') !== 'running')
        .reduce((sum, { resources }) => sum + (resources[type] ?? 0), 0);
      expect(taken).toBeLessThanOrEqual(Math.max(0, share * (capacity[type] ?? 0) - leaving));
    }
  });
});

it('no more of a queue goes than its share of guaranteed, and one allocation', () => {
  holds((plan, { snapshot, settings }) => {
    if (settings.resourceCalculator === 'dominant') return;
    for (const { path, guaranteed } of snapshot.queues) {
      const taken = plan.victims.filter(({ queue }) => queue === path);
      if (taken.length === 0) continue;
      const last = taken.at(-1)!.resources.memory ?? 0;
      const sum = taken.reduce((total, { resources }) => total + (resources.memory ?? 0), 0);
      const share = settings.maxAllowableLimit ?? 0.2;
      expect(sum - last).toBeLessThan(Math.max(share * (guaranteed?.memory ?? 0), 1));
    }
  });
});

it('under userlimit-first no one is brought down to its limit or below it', () => {
  holds((plan, { snapshot, settings }) => {
    if (settings.resourceCalculator === 'dominant') return;
    const userOf = new Map(snapshot.applications.map(({ id, user }) => [id, user]));
    const victims = new Set(plan.victims.map(({ allocation }) => allocation));
    for (const { queue, users = [] } of plan.shares) {
      if (orderPolicyOf(snapshot, queue, settings.preemptionOrderPolicy ?? undefined) !== 'userlimit-first')
        continue;
      for (const { user, limit } of users) {
        const own = snapshot.allocations.filter(
          (a) => a.queue === queue && userOf.get(a.application) === user,
        );
        if (!own.some(({ id }) => victims.has(id))) continue;
        const left = own
          .filter(({ id, state }) => !victims.has(id) && (state ?? 'running') === 'running')
          .reduce((sum, { resources }) => sum + (resources.memory ?? 0), 0);
        expect(left).toBeGreaterThan(limit.memory ?? 0);
      }
    }
  });
});

function orderPolicyOf(snapshot: ClusterSnapshot, path: string, setting = 'userlimit-first'): string {
  for (let at = path; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
    const own = snapshot.queues.find((queue) => queue.path === at)?.properties?.preemptionOrderPolicy;
    if (own !== undefined) return String(own).toLowerCase().replace('_', '-');
  }
  return setting;
}

describe('planning again after a plan was carried out', () => {
  it('adds nothing while its victims are leaving', () => {
    holds((plan, { snapshot, ...rest }) => {
      const victims = new Set(plan.victims.map(({ allocation }) => allocation));
      const allocations = snapshot.allocations.map((allocation) =>
        victims.has(allocation.id) ? { ...allocation, state: 'preempting' as const } : allocation,
      );
      const again = planGiven({ ...rest, snapshot: { ...snapshot, allocations } });
      expect(again.victims).toEqual([]);
    });
  });
});
