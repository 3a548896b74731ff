import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ClusterSnapshot, Plan } from '#contracts';
import { planGiven } from '#planning';
import { brokenFloorsOfPrefixes } from '../../../../test/vectors/floors.js';
import { crowdedCase, type PlanCase, planCase } from '../../test/generated-clusters.js';
import { propertyRuns } from '../../testing/property-runs.js';

const RUNS = propertyRuns(200);
const anyCase = fc.oneof(planCase, crowdedCase);

const victimsOf = (plan: Plan): string[] => plan.victims.map((victim) => victim.allocation);
const holds = (check: (plan: Plan, input: PlanCase) => void): void =>
  fc.assert(
    fc.property(anyCase, (input) => check(planGiven(input), input)),
    RUNS,
  );

it('every first part of every plan keeps all guaranteed amounts', () => {
  holds((plan, { snapshot, settings }) => {
    const only = settings?.guaranteedTypes === 'lowered' ? Object.keys(plan.target) : undefined;
    // A queue may have been below its floor before; then no victim may touch it.
    expect(brokenFloorsOfPrefixes(snapshot, victimsOf(plan), only)).toEqual([]);
  });
});

it('the shares of the children add up to that of their queue, or to all they have room for', () => {
  holds((plan) => {
    const parents = [{ queue: plan.queue, target: plan.target }, ...plan.shares];
    for (const { queue, target } of parents) {
      const children = plan.shares.filter(
        (share) => share.queue.slice(0, share.queue.lastIndexOf('.')) === queue,
      );
      if (children.length === 0) continue;
      for (const type of Object.keys(plan.target)) {
        const sum = children.reduce((total, child) => total + (child.target[type] ?? 0), 0);
        // Below the trigger's queue nothing is lost: a queue gets no more than its children have room for.
        if (queue !== plan.queue) expect(sum).toBe(target[type] ?? 0);
        else expect(sum).toBeLessThanOrEqual(target[type] ?? 0);
        for (const child of children)
          expect(child.target[type] ?? 0).toBeLessThanOrEqual(child.releasable[type] ?? 0);
      }
    }
  });
});

it('the order of the input does not matter, and the same input gives the same bytes', () => {
  const shuffledCase = anyCase.chain((input) =>
    fc.record({
      input: fc.constant(input),
      queues: shuffled(input.snapshot.queues),
      applications: shuffled(input.snapshot.applications),
      allocations: shuffled(input.snapshot.allocations.map(reversed)),
    }),
  );
  fc.assert(
    fc.property(shuffledCase, ({ input: { snapshot, trigger, settings }, ...orders }) => {
      const explained = { ...settings, explain: true };
      const text = JSON.stringify(planGiven({ snapshot, trigger, settings: explained }));
      expect(JSON.stringify(planGiven({ snapshot, trigger, settings: explained }))).toBe(text);
      const other = {
        snapshot: { ...snapshot, ...orders },
        trigger: reversed(trigger),
        settings: reversed(explained),
      };
      expect(JSON.stringify(planGiven(other))).toBe(text);
    }),
    RUNS,
  );
});

it('nothing outside the subtree is touched, nor what may not be', () => {
  holds((plan, { snapshot }) => {
    for (const { allocation, queue } of plan.victims) {
      expect(`${queue}.`.startsWith(`${plan.queue}.`)).toBe(true);
      const victim = snapshot.allocations.find(({ id }) => id === allocation)!;
      expect(victim.queue).toBe(queue);
      expect(victim.state ?? 'running').toBe('running');
      expect(victim.role).not.toBe('daemon');
      expect(Object.keys(plan.target).some((type) => (victim.resources[type] ?? 0) > 0)).toBe(true);
    }
  });
});

it('a satisfied plan leaves nothing to do, carried out or under way', () => {
  holds((plan, { snapshot, trigger, settings }) => {
    if (
      plan.outcome !== 'satisfied' ||
      Object.keys(plan.shortfall).length > 0 ||
      trigger.target !== undefined
    )
      return;
    const gone = new Set(victimsOf(plan));
    const after = (allocations: ClusterSnapshot['allocations']): string =>
      planGiven({ snapshot: { ...snapshot, allocations }, trigger, settings }).outcome;
    expect(after(snapshot.allocations.filter(({ id }) => !gone.has(id)))).toBe('not-needed');
    expect(
      after(snapshot.allocations.map((a) => (gone.has(a.id) ? { ...a, state: 'preempting' as const } : a))),
    ).toBe('not-needed');
  });
});

it('with cover no victim is one too many', () => {
  holds((plan, { settings }) => {
    if (settings.fit === 'within') return;
    const miss = BigInt(settings.miss ?? 0);
    for (const { resources } of plan.victims) {
      const needed = Object.entries(plan.target).some(([type, target]) => {
        const need = BigInt(target) - (BigInt(target) * miss) / 100n;
        const amount = resources[type] ?? 0;
        return amount > 0 && BigInt((plan.claimed[type] ?? 0) - amount) < need;
      });
      expect(needed).toBe(true);
    }
  });
});

it('with within nothing passes the target', () => {
  holds((_, { snapshot, trigger, settings }) => {
    const plan = planGiven({ snapshot, trigger, settings: { ...settings, fit: 'within' } });
    expect(plan.overshoot).toEqual({});
  });
});

it('amounts of a plan fit together', () => {
  holds((plan) => {
    const given = new Map<string, number>();
    for (const { resources } of plan.victims) {
      for (const [type, amount] of Object.entries(resources))
        given.set(type, (given.get(type) ?? 0) + amount);
    }
    expect({ ...plan.claimed, ...plan.collateral }).toEqual(Object.fromEntries(given));
    for (const [type, target] of Object.entries(plan.target)) {
      const claimed = plan.claimed[type] ?? 0;
      expect(claimed + (plan.shortfall[type] ?? 0)).toBe(target + (plan.overshoot[type] ?? 0));
    }
    expect(plan.victims.map(({ rank }) => rank)).toEqual(plan.victims.map((_, i) => i + 1));
  });
});

function shuffled<T>(items: T[]): fc.Arbitrary<T[]> {
  return fc.shuffledSubarray(items, { minLength: items.length });
}

/** The same object with its keys in reverse order, and those of its resources. */
function reversed<T extends object>(value: T): T {
  const entries = Object.entries(value).map(([key, item]) => [
    key,
    typeof item === 'object' && item !== null && !Array.isArray(item) ? reversed(item) : item,
  ]);
  return Object.fromEntries(entries.reverse()) as T;
}
