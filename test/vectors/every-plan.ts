import { expect, it } from '@jest/globals';
import type { ClusterSnapshot } from '#contracts';
import { planGiven } from '#planning';
import { brokenFloorsOfPrefixes } from './floors.js';
import { permutations } from './permute.js';
import type { PlanVector } from './vector.js';

export const replanOf =
  ({ trigger, settings }: PlanVector) =>
  (snapshot: ClusterSnapshot) =>
    planGiven({ snapshot, trigger, settings });

/** Tests of what holds of the plan of every vector, whatever it expects. */
export function itHoldsOfEveryPlan(vector: PlanVector): void {
  const replan = replanOf(vector);
  const plan = replan(vector.snapshot);

  it('keeps every guaranteed amount, however far the plan is carried out', () => {
    const victims = plan.victims.map((victim) => victim.allocation);
    expect(brokenFloorsOfPrefixes(vector.snapshot, victims)).toEqual([]);
  });

  it('gives the same bytes again, and in any order of the input', () => {
    const text = JSON.stringify(plan);
    for (const snapshot of [vector.snapshot, ...permutations(vector.snapshot)]) {
      expect(JSON.stringify(replan(snapshot))).toBe(text);
    }
  });

  it('ranks its victims from 1 without gaps', () => {
    expect(plan.victims.map((victim) => victim.rank)).toEqual(plan.victims.map((_, i) => i + 1));
  });
}
