import { describe, expect, it } from '@jest/globals';
import type { Plan } from '#contracts';
import { planGiven } from '#planning';
import { differences } from './compare.js';
import { heldTo, type PlanExpectation } from './vector.js';

const allocation = (id: string, queue: string, memory: number, minute: number) => ({
  id,
  application: 'app',
  queue,
  resources: { memory },
  startedAt: `2026-11-21T09:0${minute}:00Z`,
});
const snapshot = {
  apiVersion: 'curtail/v1' as const,
  kind: 'ClusterSnapshot' as const,
  takenAt: '2026-11-21T10:00:00Z',
  partition: 'default',
  queues: [
    { path: 'root', max: { memory: 30, gpu: 9 } },
    { path: 'root.a', guaranteed: { memory: 10 } },
    { path: 'root.b' },
  ],
  applications: [{ id: 'app', queue: 'root.a' }],
  allocations: [
    allocation('a1', 'root.a', 10, 1),
    allocation('a2', 'root.a', 10, 2),
    allocation('b1', 'root.b', 10, 1),
    allocation('b2', 'root.b', 20, 2),
  ],
};
const replan = (other: typeof snapshot | Parameters<typeof planGiven>[0]): Plan =>
  planGiven({
    snapshot: other,
    trigger: { policy: 'quota-decrease', queue: 'root' },
    settings: { explain: true },
  });
// Target 20, shares 5 and 15: a2 gives 10, then b2 20; a2 is given back.
const plan = replan(snapshot);
const agree = (expected: PlanExpectation): boolean =>
  differences(plan, expected, { snapshot, replan }).length === 0;

describe('every word of an expectation agrees with what is so, and only with that', () => {
  const words: [PlanExpectation, PlanExpectation][] = [
    [{ outcome: 'satisfied' }, { outcome: 'best-effort' }],
    [{ target: { memory: 20 } }, { target: { memory: 21 } }],
    [{ target: { memory: 20, gpu: 0 } }, { target: { gpu: 1 } }],
    [{ shortfall: {} }, { target: {} }],
    [{ targetAnyOf: [{ memory: 1 }, { memory: 20 }] }, { targetAnyOf: [{ memory: 1 }, { memory: 2 }] }],
    [{ claimed: { memory: 20 } }, { claimed: { memory: 10 } }],
    [{ claimedAtLeast: { memory: 20 } }, { claimedAtLeast: { memory: 21 } }],
    [{ claimedAtMost: { memory: 20 } }, { claimedAtMost: { memory: 19 } }],
    [{ shortfall: { memory: 0 } }, { shortfall: { memory: 1 } }],
    [{ victims: ['b2'] }, { victims: [] }],
    [{ victimsUnordered: ['b2'] }, { victimsUnordered: ['a2'] }],
    [{ victimsGroups: [['b2']] }, { victimsGroups: [['b1'], ['b2']] }],
    [{ victimsGroups: [['b2'], []] }, { victimsGroups: [[]] }],
    [{ victimsCount: 1 }, { victimsCount: 2 }],
    [{ mustInclude: ['b2'] }, { mustInclude: ['b2', 'b1'] }],
    [{ mustNotInclude: ['b1'] }, { mustNotInclude: ['b2'] }],
    [
      { shares: [{ queue: 'root.b', releasable: { memory: 30 }, target: { memory: 15 } }] },
      { shares: [{ queue: 'root.b', releasable: { memory: 29 }, target: { memory: 15 } }] },
    ],
    [
      { shares: [{ queue: 'root.a', target: { memory: 5 } }] },
      { shares: [{ queue: 'root.a', target: { memory: 6 } }] },
    ],
    [{ shares: [] }, { shares: [{ queue: 'root.c', target: {} }] }],
    [{ sharesAbsent: ['root.c'] }, { sharesAbsent: ['root.a'] }],
    [{ sharesAbsentOrZero: ['root.c'] }, { sharesAbsentOrZero: ['root.a'] }],
    [
      { sharesNear: [{ queue: 'root.a', target: { memory: 5.6 }, tolerance: { memory: 1 } }] },
      { sharesNear: [{ queue: 'root.a', target: { memory: 6.1 }, tolerance: { memory: 1 } }] },
    ],
    [
      { sharesAtMost: [{ queue: 'root.a', target: { memory: 5 } }] },
      { sharesAtMost: [{ queue: 'root.a', target: { memory: 4 } }] },
    ],
    [
      { sharesSum: { leaves: ['root.a', 'root.b'], memory: 20 } },
      { sharesSum: { leaves: ['root.a'], memory: 20 } },
    ],
    [{ floorsRespected: true }, { floorsRespected: false }],
    [{ permutationInvariant: true }, { permutationInvariant: false }],
    [{ collateral: {} }, { collateral: { vcore: 1 } }],
    [{ spared: { a1: 'not-needed', a2: 'given-back' } }, { spared: { a1: 'given-back' } }],
    [{ units: {} }, { units: { b2: 1 } }],
    [{ overBudget: {} }, { overBudget: { b2: ['web'] } }],
    [
      { notices: [{ code: 'unknown-resource-type', names: ['gpu'] }] },
      { notices: [{ code: 'unknown-resource-type', names: ['xyz'] }] },
    ],
    [{ noticesAbsent: ['impossible'] }, { noticesAbsent: ['unknown-resource-type'] }],
    [{ reasons: { b2: 'younger' } }, { reasons: { b2: 'older' } }],
    [
      { victims: [], acceptable: [{ victims: ['b2'] }] },
      { victims: [], acceptable: [{ victims: ['a2'] }] },
    ],
    [{}, { nonsense: 1 } as PlanExpectation],
  ];
  it.each(words)('%j, not %j', (right, wrong) => {
    expect(agree(right)).toBe(true);
    expect(agree(wrong)).toBe(false);
  });
  it('names the difference', () => {
    expect(differences(plan, { victims: ['a2'] }, { snapshot, replan })).toEqual([
      'victims: ["b2"] where ["a2"] is expected',
    ]);
  });
  it('finds a plan that breaks a floor or depends on the order of the input', () => {
    const broken: Plan = {
      ...plan,
      victims: ['a1', 'a2'].map((id) => ({ ...plan.victims[0]!, allocation: id })),
    };
    expect(differences(broken, { floorsRespected: true }, { snapshot, replan })).toHaveLength(1);
    const fickle = (other: typeof snapshot): Plan => ({ ...plan, queue: other.allocations[0]!.id });
    expect(
      differences(fickle(snapshot), { permutationInvariant: true }, { snapshot, replan: fickle as never }),
    ).toHaveLength(1);
  });
});

it('a system is held to the document where the vector states it', () => {
  const [one, two]: PlanExpectation[] = [{ outcome: 'satisfied' }, { outcome: 'impossible' }];
  expect(heldTo({ gate: 'both', expect: one!, expectDocument: two! })).toBe(two);
  expect(heldTo({ gate: 'document', expect: one! })).toBe(one);
  expect(heldTo({ gate: 'peer', expect: one!, expectDocument: two! })).toBe(one);
  expect(heldTo({ gate: 'none', expect: one! })).toBeNull();
});
