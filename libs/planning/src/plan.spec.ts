import { describe, expect, it } from '@jest/globals';
import { InputError } from '#contracts';
import { plan, planGiven, readSnapshot, readTrigger } from '#planning';

function pathOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof InputError) return error.path;
    throw error;
  }
  return 'no error';
}

describe('a trigger', () => {
  const good = { policy: 'quota-decrease', queue: 'root' };
  it.each([
    [{ ...good, previousMax: { memory: 'any' }, surprise: 1 }, 'no error'],
    [{ ...good, target: null }, 'no error'],
    [null, 'trigger'],
    [{ queue: 'root' }, 'trigger.policy'],
    [{ ...good, policy: 'quota-increase' }, 'trigger.policy'],
    [{ policy: 'intra-queue' }, 'no error'],
    [{ policy: 'intra-queue', queue: null }, 'no error'],
    [{ policy: 'intra-queue', queue: 3 }, 'trigger.queue'],
    [{ policy: 'fair-share' }, 'no error'],
    [{ policy: 'quota-decrease' }, 'trigger.queue'],
    [{ ...good, queue: '' }, 'trigger.queue'],
    [{ ...good, target: [] }, 'trigger.target'],
    [{ ...good, target: { memory: -1 } }, 'trigger.target.memory'],
    [{ ...good, target: { memory: 0.5 } }, 'trigger.target.memory'],
    [{ ...good, target: { memory: 2 ** 53 } }, 'trigger.target.memory'],
  ])('%j: %s', (trigger, path) => {
    expect(pathOf(() => readTrigger(trigger))).toBe(path);
  });
  it('is judged before the snapshot, which is read by the rules of its policy', () => {
    expect(pathOf(() => planGiven({ snapshot: {}, trigger: { policy: 7 } }))).toBe('trigger.policy');
    expect(pathOf(() => planGiven({ snapshot: {}, trigger: 'fair-share' }))).toBe('trigger');
  });

  it('for an unknown queue is refused', () => {
    const snapshot = readSnapshot({ queues: [{ path: 'root' }], applications: [], allocations: [] });
    expect(pathOf(() => plan(snapshot, good))).toBe('no error');
    expect(pathOf(() => plan(snapshot, { ...good, queue: 'root.a' }))).toBe('trigger.queue');
  });
});

describe('one snapshot', () => {
  const takenAt = '2026-11-21T10:00:00.000Z';
  const application = { id: 'x', queue: 'root.a', user: 'ann', submittedAt: takenAt };
  const allocation = {
    id: 'a1',
    application: 'x',
    queue: 'root.a',
    resources: { vcore: 2 },
    startedAt: takenAt,
  };
  const good = {
    takenAt,
    nodes: [{ id: 'n1', capacity: { vcore: 10 } }],
    queues: [{ path: 'root' }, { path: 'root.a', max: { vcore: 1 } }],
    applications: [application],
    allocations: [allocation],
  };
  const triggers = [
    { policy: 'quota-decrease', queue: 'root.a' },
    { policy: 'intra-queue' },
    { policy: 'fair-share' },
  ];

  it('is read once and planned under every policy, in any order', () => {
    const settings = { explain: true };
    const alone = triggers.map((trigger) => plan(readSnapshot(good), trigger, settings));
    expect(alone.map(({ policy }) => policy)).toEqual(triggers.map(({ policy }) => policy));
    const snapshot = readSnapshot(good);
    for (const order of [triggers, triggers.toReversed(), triggers]) {
      for (const trigger of order) {
        expect(plan(snapshot, trigger, settings)).toEqual(alone[triggers.indexOf(trigger)]);
      }
    }
  });

  it.each<[string, object, ...paths: [quotaDecrease: string, intraQueue: string, fairShare: string]]>([
    ['the same', {}, 'no error', 'no error', 'no error'],
    ['without root', { queues: [good.queues[1]] }, 'queues[0].path', 'queues[0].path', 'no error'],
    [
      'with an application in a root that is not listed',
      { queues: [], applications: [{ ...application, queue: 'root' }], allocations: [] },
      ...(['applications[0].queue', 'applications[0].queue', 'no error'] as const),
    ],
    [
      'with an allocation in a queue with children',
      {
        applications: [{ ...application, queue: 'root' }],
        allocations: [{ ...allocation, queue: 'root' }],
      },
      ...(['allocations[0].queue', 'allocations[0].queue', 'no error'] as const),
    ],
    [
      'with a top queue of another name',
      { queues: [...good.queues, { path: 'other' }] },
      ...(['no error', 'no error', 'queues[2].path'] as const),
    ],
    [
      'with a node that is not listed',
      { allocations: [{ ...allocation, node: 'n2' }] },
      ...(['no error', 'no error', 'allocations[0].node'] as const),
    ],
    ['without a time', { takenAt: null }, 'no error', 'no error', 'takenAt'],
    [
      'with a broken label, which only fair shares read',
      { nodes: [{ ...good.nodes[0], labels: { zone: 1 } }] },
      ...(['no error', 'no error', 'nodes[0].labels.zone'] as const),
    ],
    [
      'with a broken mark, which only queues have',
      { queues: [good.queues[0], { ...good.queues[1], dynamic: 'yes' }] },
      ...(['queues[1].dynamic', 'queues[1].dynamic', 'no error'] as const),
    ],
    [
      'with more running and leaving than can be counted in a queue',
      {
        allocations: [
          { ...allocation, resources: { vcore: 2 ** 53 - 1 } },
          { ...allocation, id: 'a2', state: 'releasing' },
        ],
      },
      ...(['allocations[1].resources.vcore', 'allocations[1].resources.vcore', 'no error'] as const),
    ],
  ])('is accepted by the rules of the policy: %s', (_, change, ...paths) => {
    const snapshot = readSnapshot({ ...good, ...change });
    // Twice: a refusal is not kept as a snapshot that is fine.
    for (const trigger of [...triggers, ...triggers]) {
      expect(pathOf(() => plan(snapshot, trigger))).toBe(paths[triggers.indexOf(trigger)]);
    }
  });
});
