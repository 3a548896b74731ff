import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { FairShareStatus, Plan, Ratios } from '#contracts';
import { planGiven } from '#planning';
import { propertyRuns } from '../../testing/property-runs.js';
import { TYPES } from './naive-tree.js';
import { crowdedCase, type FairShareCase, fairShareCase } from './trees.js';

const RUNS = propertyRuns(150);
const NEAR = 1e-8;
const anyCase = fc.oneof(fairShareCase, crowdedCase);

const planOf = ({ snapshot, settings }: FairShareCase): Plan =>
  planGiven({ snapshot, trigger: { policy: 'fair-share' }, settings: { ...settings, explain: true } });
const statusOf = (plan: Plan, name: string): FairShareStatus =>
  plan.statuses!.find((status) => status.name === name)!;
const holds = (cases: fc.Arbitrary<FairShareCase>, check: (plan: Plan, input: FairShareCase) => void): void =>
  fc.assert(
    fc.property(cases, (input) => check(planOf(input), input)),
    RUNS,
  );
const dominant = (shares: Ratios): number => Math.max(...Object.values(shares));

it('fair shares add up, and pass neither demand nor limits nor the cluster', () => {
  holds(anyCase, ({ statuses }, { snapshot }) => {
    const poolOf = new Map(snapshot.applications.map(({ id, queue }) => [id, queue]));
    const parentOf = ({ kind, name }: FairShareStatus): string | undefined =>
      kind === 'operation' ? poolOf.get(name) : name.slice(0, Math.max(0, name.lastIndexOf('.')));
    for (const status of statuses!) {
      const children = statuses!.filter((other) => other.name !== 'root' && parentOf(other) === status.name);
      for (const type of TYPES) {
        const share = status.fairShare[type]!;
        expect(share).toBeGreaterThanOrEqual(0);
        expect(share).toBeLessThanOrEqual(status.demandShare[type]! + NEAR);
        expect(share).toBeLessThanOrEqual(status.limitsShare[type]! + NEAR);
        if (status.kind === 'operation') continue;
        const sum = children.reduce((all, { fairShare }) => all + fairShare[type]!, 0);
        expect(Math.abs(sum - share)).toBeLessThanOrEqual(NEAR);
      }
    }
    expect(dominant(statusOf({ statuses } as Plan, 'root').fairShare)).toBeLessThanOrEqual(1 + NEAR);
  });
});

it('a greater weight never gives a smaller fair share, beside the same neighbours', () => {
  const operation = fc.record({
    vcore: fc.integer({ min: 0, max: 8 }),
    memory: fc.integer({ min: 0, max: 8 }),
    used: fc.integer({ min: 0, max: 3 }),
    weight: fc.constantFrom(0.3, 1, 2, 7),
    isGang: fc.boolean(),
    limit: fc.constantFrom(3, 100),
  });
  const cases = fc.record({
    operations: fc.array(operation, { minLength: 1, maxLength: 6 }),
    heavier: fc.constantFrom(1.5, 3, 100),
    enableStepFunctionForGangOperations: fc.boolean(),
  });
  const shareOfFirst = ({ operations, ...settings }: FairShareCase['settings'], factor: number): number => {
    const given = operations as {
      vcore: number;
      memory: number;
      used: number;
      weight: number;
      isGang: boolean;
      limit: number;
    }[];
    const takenAt = '2026-11-21T10:00:00.000Z';
    const applications = given.map(({ vcore, memory, weight, isGang, limit }, i) => ({
      id: `o${i}`,
      queue: 'root',
      submittedAt: takenAt,
      pending: [{ resources: { vcore, memory }, count: 1 }],
      properties: { weight: i === 0 ? weight * factor : weight, isGang, resourceLimits: { vcore: limit } },
    }));
    const allocations = given.map(({ used }, i) => ({
      id: `a${i}`,
      application: `o${i}`,
      queue: 'root',
      resources: { vcore: used },
      startedAt: takenAt,
    }));
    const nodes = [{ id: 'n', capacity: { vcore: 10, memory: 10 } }];
    const snapshot = { takenAt, nodes, queues: [], applications, allocations };
    const { statuses } = planGiven({
      snapshot,
      trigger: { policy: 'fair-share' },
      settings: { ...settings, explain: true },
    });
    return dominant(statuses!.find(({ name }) => name === 'o0')!.fairShare);
  };
  fc.assert(
    fc.property(cases, ({ heavier, ...rest }) => {
      expect(shareOfFirst(rest, heavier)).toBeGreaterThanOrEqual(shareOfFirst(rest, 1) - NEAR);
    }),
    RUNS,
  );
});

it('no one safe goes but where a node holds too much for too long, and no one twice', () => {
  holds(anyCase, (plan) => {
    const ids = plan.victims.map(({ allocation }) => allocation);
    expect(new Set(ids).size).toBe(ids.length);
    expect(plan.spared!.filter(({ allocation }) => ids.includes(allocation))).toEqual([]);
    for (const { allocation, application, cause } of plan.victims) {
      const { groups } = statusOf(plan, application);
      if (groups!.preemptible.includes(allocation)) continue;
      expect(cause === 'overcommit' || cause === 'aggressive-starvation').toBe(true);
      if (cause === 'aggressive-starvation') expect(groups!.aggressivelyPreemptible).toContain(allocation);
    }
  });
});

it('aggressive ones go only for who starves aggressively, and only where that is allowed', () => {
  holds(crowdedCase, (plan) => {
    for (const { allocation, application, cause, preemptedFor } of plan.victims) {
      if (cause !== 'aggressive-starvation') continue;
      expect(statusOf(plan, preemptedFor!).priority).toBe('aggressively_starving');
      const { groups, effective } = statusOf(plan, application);
      if (groups!.aggressivelyPreemptible.includes(allocation)) {
        expect(effective.allowAggressivePreemption).toBe(true);
      }
    }
  });
});

it('who starves takes from others, never from itself, and those it takes from do not starve', () => {
  holds(crowdedCase, (plan, { settings }) => {
    for (const { application, preemptedFor } of plan.victims) {
      if (preemptedFor === undefined) continue;
      expect(statusOf(plan, preemptedFor).priority).not.toBe('non_starving');
      expect(application).not.toBe(preemptedFor);
      if (settings.allowPreemptionFromStarvingOperations) continue;
      expect(statusOf(plan, application).starvation).toBe('non_starving');
    }
  });
});

it('what starts in the place of others fits when they are gone, and not if one of them stays; once a node', () => {
  // Nodes that are full to the last unit, and no limits: so all the room there is comes from the victims.
  const full = crowdedCase.map(({ snapshot, settings }) => ({
    settings,
    snapshot: {
      ...snapshot,
      queues: snapshot.queues.map(({ max, ...queue }) => queue),
      nodes: snapshot.nodes!.map((node) => {
        const running = snapshot.allocations.filter((allocation) => allocation.node === node.id);
        const sum = (type: string): number =>
          running.reduce((all, { resources }) => all + (resources[type] ?? 0), 0);
        return { ...node, capacity: { vcore: sum('vcore'), memory: sum('memory') } };
      }),
    },
  }));
  holds(full, (plan) => {
    const starts = plan.starts!;
    expect(new Set(starts.map(({ node }) => node)).size).toBe(starts.length);
    for (const { resources, node, victims } of starts) {
      const gone = plan.victims.filter(({ allocation }) => victims.includes(allocation));
      expect(gone.every((victim) => victim.node === node)).toBe(true);
      const gives = (who: typeof gone, type: string): number =>
        who.reduce((all, victim) => all + (victim.resources[type] ?? 0), 0);
      const fits = (who: typeof gone): boolean =>
        Object.entries(resources).every(([type, amount]) => gives(who, type) >= amount);
      expect(fits(gone)).toBe(true);
      for (const stays of gone) expect(fits(gone.filter((other) => other !== stays))).toBe(false);
    }
  });
});

it('no one starves: only limits and what nodes hold lead to victims', () => {
  const calm = anyCase.map(({ snapshot, settings }) => {
    const without = ({
      belowFairShareSince,
      starvingSince,
      starvationStatus,
      ...rest
    }: Record<string, unknown>) => rest;
    return {
      settings,
      snapshot: {
        ...snapshot,
        queues: snapshot.queues.map((queue) => ({ ...queue, properties: without(queue.properties ?? {}) })),
        applications: snapshot.applications.map((application) => {
          return { ...application, properties: without(application.properties ?? {}) };
        }),
      },
    };
  });
  holds(calm, (plan) => {
    expect(plan.starts).toEqual([]);
    expect(plan.victims.filter(({ cause }) => cause !== 'resource-limits' && cause !== 'overcommit')).toEqual(
      [],
    );
  });
});

it('the order of the input does not matter, but that of the pending entries of an operation', () => {
  const shuffled = <T>(items: T[]): fc.Arbitrary<T[]> =>
    fc.shuffledSubarray(items, { minLength: items.length });
  const cases = anyCase.chain((input) =>
    fc.record({
      input: fc.constant(input),
      nodes: shuffled(input.snapshot.nodes!),
      queues: shuffled(input.snapshot.queues),
      applications: shuffled(input.snapshot.applications),
      allocations: shuffled(input.snapshot.allocations),
    }),
  );
  fc.assert(
    fc.property(cases, ({ input, ...orders }) => {
      const other = { ...input, snapshot: { ...input.snapshot, ...orders } };
      expect(JSON.stringify(planOf(other))).toBe(JSON.stringify(planOf(input)));
    }),
    RUNS,
  );
});
