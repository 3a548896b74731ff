import { readFileSync } from 'node:fs';
import type { ClusterSnapshot } from '@curtail/contracts';
import { planGiven } from '@curtail/planning';
import { describe, expect, it } from '@jest/globals';
import { differences } from './compare.js';
import { brokenFloorsOfPrefixes } from './floors.js';
import { permutations } from './permute.js';
import { heldTo, type PlanVector } from './vector.js';

const file = JSON.parse(readFileSync(new URL('./quota-decrease.json', import.meta.url), 'utf8'));
const vectors: PlanVector[] = file.vectors.filter((vector: { kind: string }) => vector.kind === 'plan');

const replanOf =
  ({ trigger, settings }: PlanVector) =>
  (snapshot: ClusterSnapshot) =>
    planGiven({ snapshot, trigger, settings });

it('finds all plan vectors', () => {
  expect(vectors).toHaveLength(39);
});

describe.each(vectors.map((vector): [string, PlanVector] => [vector.name, vector]))('%s', (_, vector) => {
  const replan = replanOf(vector);
  const plan = replan(vector.snapshot);
  const victims = plan.victims.map((victim) => victim.allocation);

  it('gives the expected plan', () => {
    const expected = heldTo(vector);
    if (expected === null) return;
    expect(differences(plan, expected, { snapshot: vector.snapshot, replan })).toEqual([]);
  });

  it('keeps every guaranteed amount, however far the plan is carried out', () => {
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
});
