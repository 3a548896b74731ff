import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { type ClusterSnapshot, InputError, type Plan } from '#contracts';
import { planGiven } from '#planning';
import { differences, type FairShareExpectation } from './fair-share-compare.js';
import { permutations } from './permute.js';

interface Vector {
  name: string;
  snapshot: ClusterSnapshot;
  trigger: { policy: 'fair-share' };
  settings: Record<string, unknown>;
  expect: FairShareExpectation;
}

const vectors: Vector[] = JSON.parse(readFileSync(new URL('./fair-share.json', import.meta.url), 'utf8'));

const planOf = ({ trigger, settings }: Vector, snapshot: ClusterSnapshot): Plan =>
  planGiven({ snapshot, trigger, settings: { ...settings, explain: true } });

/** The snapshot in other orders, but for `pending`, whose order is the operation's own. */
function otherOrders(snapshot: ClusterSnapshot): ClusterSnapshot[] {
  const pending = new Map(snapshot.applications.map((application) => [application.id, application.pending]));
  return permutations(snapshot).map((other) => ({
    ...other,
    applications: other.applications.map((application) => ({
      ...application,
      pending: pending.get(application.id) ?? [],
    })),
  }));
}

it('finds all vectors', () => {
  expect(vectors).toHaveLength(63);
});

const refused = vectors.filter((vector) => vector.expect.error !== undefined);
const planned = vectors.filter((vector) => vector.expect.error === undefined);

it.each(refused.map((vector) => [vector.name, vector] as const))('%s', (_, vector) => {
  expect(() => planOf(vector, vector.snapshot)).toThrow(InputError);
  try {
    planOf(vector, vector.snapshot);
  } catch (error) {
    expect((error as InputError).path.split('.').at(-1)).toBe(vector.expect.error!.field);
  }
});

describe.each(planned.map((vector) => [vector.name, vector] as const))('%s', (_, vector) => {
  const plan = planOf(vector, vector.snapshot);

  it('gives the expected plan', () => {
    expect(differences(plan, vector.expect)).toEqual([]);
  });

  it('gives the same bytes again, and in any order of the input', () => {
    const text = JSON.stringify(plan);
    for (const snapshot of [vector.snapshot, ...otherOrders(vector.snapshot)]) {
      expect(JSON.stringify(planOf(vector, snapshot))).toBe(text);
    }
  });
});
