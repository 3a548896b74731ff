import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { readConfigurationLine } from '#configuration';
import { InputError } from '#contracts';
import { differences } from './compare.js';
import { itHoldsOfEveryPlan, replanOf } from './every-plan.js';
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

it('finds all vectors', () => {
  expect(vectors).toHaveLength(110);
});

describe.each(named(all.filter((vector) => vector.expect.error === undefined)))('%s', (_, vector) => {
  const replan = replanOf(vector);
  const plan = replan(vector.snapshot);

  it('gives the expected plan', () => {
    expect(differences(plan, vector.expect, { snapshot: vector.snapshot, replan })).toEqual([]);
  });

  itHoldsOfEveryPlan(vector);
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
