import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { ClusterSnapshot, Plan, Trigger } from '#contracts';
import { planGiven } from '#planning';
import { permutations } from './permute.js';

/** A case: how many allocations each application loses; `invariants` hold whatever is lost. */
interface InQueueVector {
  name: string;
  snapshot: ClusterSnapshot;
  trigger: Trigger;
  settings: Record<string, unknown>;
  expect: {
    preemptedByApplication: Record<string, number>;
    neverFrom: string[];
    /** Applications that are not named lose nothing. */
    exhaustive: boolean;
    invariants: string[];
  };
}

const file = JSON.parse(readFileSync(new URL('./intra-queue.json', import.meta.url), 'utf8'));
const vectors: InQueueVector[] = file.vectors;

function lostByApplication(plan: Plan): Record<string, number> {
  const lost: Record<string, number> = {};
  for (const { application } of plan.victims) lost[application] = (lost[application] ?? 0) + 1;
  return lost;
}

type Invariant = (snapshot: ClusterSnapshot, victims: ReadonlySet<string>) => unknown[];
const INVARIANTS: Record<string, Invariant> = {
  'originators-spared': ({ allocations }, victims) =>
    allocations.filter(({ id, role }) => role === 'originator' && victims.has(id)),
  'youngest-first-within-application': ({ allocations }, victims) =>
    allocations.filter(
      (spared) =>
        !victims.has(spared.id) &&
        spared.role !== 'originator' &&
        (spared.state ?? 'running') === 'running' &&
        allocations.some(
          (victim) =>
            victims.has(victim.id) &&
            victim.application === spared.application &&
            victim.startedAt < spared.startedAt,
        ),
    ),
};

it('finds all vectors, and knows all their words', () => {
  expect(vectors).toHaveLength(42);
  const words = ['preemptedByApplication', 'neverFrom', 'exhaustive', 'invariants'];
  for (const vector of vectors) {
    expect(words).toEqual(expect.arrayContaining(Object.keys(vector.expect)));
    expect(Object.keys(INVARIANTS)).toEqual(expect.arrayContaining(vector.expect.invariants));
  }
});

describe.each(vectors.map((vector): [string, InQueueVector] => [vector.name, vector]))('%s', (_, vector) => {
  const replan = (snapshot: ClusterSnapshot, more = {}): Plan =>
    planGiven({ snapshot, trigger: vector.trigger, settings: { ...vector.settings, ...more } });
  const plan = replan(vector.snapshot);
  const victims = new Set(plan.victims.map(({ allocation }) => allocation));

  it('takes the expected number from each application', () => {
    const lost = lostByApplication(plan);
    const { preemptedByApplication, neverFrom, exhaustive } = vector.expect;
    for (const [application, count] of Object.entries(preemptedByApplication)) {
      expect([application, lost[application] ?? 0]).toEqual([application, count]);
    }
    for (const application of neverFrom) expect(lost[application]).toBeUndefined();
    if (exhaustive) {
      expect(Object.keys(preemptedByApplication)).toEqual(expect.arrayContaining(Object.keys(lost)));
    }
  });

  it('holds what always has to hold', () => {
    for (const name of vector.expect.invariants) {
      expect(INVARIANTS[name]!(vector.snapshot, victims)).toEqual([]);
    }
    expect(plan.victims.map(({ rank }) => rank)).toEqual(plan.victims.map((_, i) => i + 1));
  });

  it('gives the same bytes again, and in any order of the input', () => {
    const text = JSON.stringify(replan(vector.snapshot, { explain: true }));
    for (const snapshot of [vector.snapshot, ...permutations(vector.snapshot)]) {
      expect(JSON.stringify(replan(snapshot, { explain: true }))).toBe(text);
    }
  });

  it('takes the same with explain, and states why all others stay', () => {
    const { victims: same, spared } = replan(vector.snapshot, { explain: true });
    expect(same).toEqual(plan.victims);
    const { queue } = vector.trigger as { queue?: string };
    const considered = vector.snapshot.allocations.filter((a) => queue === undefined || a.queue === queue);
    expect(spared).toHaveLength(considered.length - plan.victims.length);
  });
});
