import { readFileSync } from 'node:fs';
import { readConfigurationLine } from '@curtail/configuration';
import { type ClusterSnapshot, InputError } from '@curtail/contracts';
import { planGiven } from '@curtail/planning';
import { describe, expect, it } from '@jest/globals';
import { differences } from './compare.js';
import { brokenFloorsOfPrefixes } from './floors.js';
import { permutations } from './permute.js';
import type { PlanVector } from './vector.js';

interface ConfigVector {
  name: string;
  kind: 'config';
  config: unknown;
  expect: { valid: boolean; errorPaths?: string[] };
}

const file = JSON.parse(readFileSync(new URL('./victim-care.json', import.meta.url), 'utf8'));
const vectors: (PlanVector | ConfigVector)[] = file.vectors;
const all = vectors.filter((vector): vector is PlanVector => vector.kind === 'plan');
const named = <T extends { name: string }>(list: T[]): [string, T][] =>
  list.map((vector) => [vector.name, vector]);

const replanOf =
  ({ trigger, settings }: PlanVector) =>
  (snapshot: ClusterSnapshot) =>
    planGiven({ snapshot, trigger, settings });

it('finds all vectors', () => {
  expect(vectors).toHaveLength(110);
});

describe.each(named(all.filter((vector) => vector.expect.error === undefined)))('%s', (_, vector) => {
  const replan = replanOf(vector);
  const plan = replan(vector.snapshot);

  it('gives the expected plan', () => {
    expect(differences(plan, vector.expect, { snapshot: vector.snapshot, replan })).toEqual([]);
  });

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
});

describe('refuses', () => {
  it.each(named(all.filter((vector) => vector.expect.error !== undefined)))('%s', (_, vector) => {
    const refused = (): unknown => {
      try {
        return replanOf(vector)(vector.snapshot);
      } catch (error) {
        return error instanceof InputError ? { path: error.path } : error;
      }
    };
    expect(refused()).toEqual(vector.expect.error);
  });
});

describe('vectors of kind config', () => {
  const configs = vectors.filter((vector): vector is ConfigVector => vector.kind === 'config');
  it.each(named(configs))('%s', (_, { config, expect: expected }) => {
    const result = readConfigurationLine(JSON.stringify({ format: 'yunikorn', config }));
    expect(result.valid).toBe(expected.valid);
    expect(result.errors.map(({ path }) => path)).toEqual(expect.arrayContaining(expected.errorPaths ?? []));
  });
});
