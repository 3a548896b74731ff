import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { differences } from './compare.js';
import { itHoldsOfEveryPlan, replanOf } from './every-plan.js';
import { heldTo, type PlanVector } from './vector.js';

const file = JSON.parse(readFileSync(new URL('./quota-decrease.json', import.meta.url), 'utf8'));
const vectors: PlanVector[] = file.vectors.filter((vector: { kind: string }) => vector.kind === 'plan');

it('finds all plan vectors', () => {
  expect(vectors).toHaveLength(39);
});

describe.each(vectors.map((vector): [string, PlanVector] => [vector.name, vector]))('%s', (_, vector) => {
  const replan = replanOf(vector);
  const plan = replan(vector.snapshot);

  it('gives the expected plan', () => {
    const expected = heldTo(vector);
    if (expected === null) return;
    expect(differences(plan, expected, { snapshot: vector.snapshot, replan })).toEqual([]);
  });

  itHoldsOfEveryPlan(vector);
});
