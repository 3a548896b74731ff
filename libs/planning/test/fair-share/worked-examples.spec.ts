import { describe, expect, it } from '@jest/globals';
import {
  ago,
  fairShare,
  nodes,
  ones,
  operation,
  plan,
  running,
  type SmallCluster,
  statusOf,
  victims,
} from './small-cluster.js';

/** The examples of docs/reference/policies/fair-share.md §17, in their order. */
const thresholds = { aggressivePreemptionSatisfactionThreshold: 0.5, preemptionSatisfactionThreshold: 1 };
const starving = { belowFairShareSince: ago(60) };

describe('fair shares of two', () => {
  it.each([
    ['weights 1, 3', { properties: { weight: 1 } }, { properties: { weight: 3 } }, [0.25, 0.75]],
    ['the first guaranteed 0.6', { guaranteed: { vcore: 6 } }, {}, [0.8, 0.2]],
    ['the first limited to 0.3', { max: { vcore: 3 } }, {}, [0.3, 0.7]],
  ])('pools that want all: %s', (_, a, b, expected) => {
    const planned = plan({
      queues: [
        { path: 'root.a', ...a },
        { path: 'root.b', ...b },
      ],
      applications: [operation('x', 'root.a', { count: 10 }), operation('y', 'root.b', { count: 10 })],
    });
    expect([fairShare(planned, 'root.a'), fairShare(planned, 'root.b')]).toEqual(expected);
  });

  it('operations of a fifo pool that want 7 each', () => {
    const queues = [{ path: 'root.f', properties: { mode: 'fifo' } }];
    const applications = [operation('x', 'root.f', { count: 7 }), operation('y', 'root.f', { count: 7 })];
    const planned = plan({ queues, applications });
    expect([fairShare(planned, 'x'), fairShare(planned, 'y')]).toEqual([0.7, 0.3]);
  });

  it.each([
    [6, 0],
    [5, 0],
    [4, 0.4],
  ])('gangs of %i each under the step function: %d each', (count, share) => {
    const applications = ['x', 'y'].map((id) => operation(id, 'root', { count, isGang: true }));
    const planned = plan({ applications }, { enableStepFunctionForGangOperations: true });
    expect([fairShare(planned, 'x'), fairShare(planned, 'y')]).toEqual([share, share]);
  });
});

it.each([
  ['fair share 0.5, uses 0.3', 3, 10, 'below_fair_share'],
  ['fair share 0.5, uses 0.4', 4, 10, 'normal'],
  ['all that it demands is its fair share, uses 0.4', 4, 1, 'below_fair_share'],
])('status: %s', (_, uses, count, expected) => {
  const planned = plan({
    applications: [operation('mine', 'root', { count }), operation('other', 'root', { count: 10 })],
    allocations: running('mine', ones(uses)),
  });
  expect(fairShare(planned, 'mine')).toBe(0.5);
  expect(statusOf(planned, 'mine').status).toBe(expected);
});

describe('`old` runs 20 on two nodes, `new` starves and wants 20', () => {
  const cluster = (change: Partial<SmallCluster> = {}): Partial<SmallCluster> => ({
    nodes: nodes(10, 10),
    applications: [operation('old', 'root'), operation('new', 'root', { count: 20, ...starving })],
    allocations: running('old', ones(20), (number) => (number % 2 === 1 ? 'n1' : 'n2')),
    ...change,
  });

  it('the newer half is plain; the newest of each node goes', () => {
    const planned = plan(cluster(), thresholds);
    expect(statusOf(planned, 'old').groups!.preemptible).toHaveLength(10);
    expect(victims(planned)).toEqual(['old-20', 'old-19']);
    expect(planned.starts!.map(({ node }) => node)).toEqual(['n2', 'n1']);
    expect(planned.outcome).toBe('best-effort');
  });

  it('who asked to be spared goes last', () => {
    const allocations = cluster().allocations!.map((allocation) =>
      allocation.id === 'old-20' ? { ...allocation, allowPreemption: false } : allocation,
    );
    expect(victims(plan(cluster({ allocations }), thresholds))).toEqual(['old-19', 'old-18']);
  });

  it('a node that was used 3 s ago is spared', () => {
    const [n1, n2] = nodes(10, 10);
    const used = { ...n2!, properties: { lastPreemptiveSchedulingAt: ago(3) } };
    expect(victims(plan(cluster({ nodes: [n1!, used] }), thresholds))).toEqual(['old-19']);
  });
});

it('a plan gives back who is not needed: of 5, 3, 1 and 1 the 3 goes', () => {
  const planned = plan(
    {
      applications: [operation('old', 'root'), operation('new', 'root', { count: 3, each: 3, ...starving })],
      allocations: running('old', [5, 3, 1, 1]),
    },
    thresholds,
  );
  expect(fairShare(planned, 'old')).toBe(0.5);
  expect(victims(planned)).toEqual(['old-02']);
});

describe('`many` runs 20 on two nodes, `wide` asks for 5', () => {
  const onFirst = new Set([8, 9, 10, 11, 12, 13, 14, 15, 19, 20]);
  const cluster = (wide: object, many: object = {}): Partial<SmallCluster> => ({
    nodes: nodes(10, 10),
    queues: [
      { path: 'root.m', properties: { weight: 3, ...many } },
      { path: 'root.w', properties: { weight: 1 } },
    ],
    applications: [operation('many', 'root.m'), operation('wide', 'root.w', { count: 1, each: 5, ...wide })],
    allocations: running('many', ones(20), (number) => (onFirst.has(number) ? 'n1' : 'n2')),
  });
  const settings = { ...thresholds, enableAggressiveStarvation: true };

  it('aggressively starving: half of a node', () => {
    const planned = plan(cluster({ belowFairShareSince: ago(121) }), settings);
    const { nonPreemptible, aggressivelyPreemptible, preemptible } = statusOf(planned, 'many').groups!;
    expect([nonPreemptible.length, aggressivelyPreemptible.length, preemptible.length]).toEqual([7, 8, 5]);
    expect(victims(planned)).toEqual(['many-20', 'many-19', 'many-15', 'many-14', 'many-13']);
    expect(planned.starts!.map(({ node }) => node)).toEqual(['n1']);
  });

  it.each([
    ['only starving', cluster(starving)],
    [
      'where `many` allows no aggressive preemption',
      cluster({ belowFairShareSince: ago(121) }, { allowAggressivePreemption: false }),
    ],
  ])('%s: no one', (_, input) => {
    const planned = plan(input, settings);
    expect(victims(planned)).toEqual([]);
    expect(planned.outcome).toBe('impossible');
  });
});

describe('a node of 8', () => {
  it('that runs 10 of one operation gives the two newest', () => {
    const small = { nodes: nodes(8, 12), applications: [operation('old', 'root', { count: 1 })] };
    const cluster = { ...small, allocations: running('old', ones(10)) };
    const planned = plan(cluster, { ...thresholds, preemptionSatisfactionThreshold: 0.5 });
    // Its fair share is all it wants, so nothing is plain; a limit of the operation makes the rest plain.
    expect(statusOf(planned, 'old').groups!.preemptible).toEqual([]);
    const applications = [operation('old', 'root', { count: 1, resourceLimits: { vcore: 10 } })];
    const plain = plan({ ...cluster, applications }, { ...thresholds, preemptionSatisfactionThreshold: 0.5 });
    expect(victims(plain)).toEqual(['old-10', 'old-09']);
  });

  it.each([
    [10, []],
    [20, ['old-09']],
  ])('that runs 9, none of them plain, over for %i s', (seconds, expected) => {
    const [small, rest] = nodes(8, 12);
    const over = { ...small!, properties: { overcommittedSince: ago(seconds) } };
    const planned = plan(
      {
        nodes: [over, rest!],
        applications: [operation('old', 'root')],
        allocations: running('old', ones(9)),
      },
      thresholds,
    );
    expect(victims(planned)).toEqual(expected);
  });
});

it.each([
  [6, ['y-04', 'x-04']],
  [8, []],
])('a pool limited to %i with x and y that run 4 each', (limit, expected) => {
  const y = running('y', ones(4)).map((allocation, i) => ({ ...allocation, startedAt: ago(1800 - i) }));
  const x = running('x', ones(4)).map((allocation, i) => ({ ...allocation, startedAt: ago(1800.5 - i) }));
  const planned = plan(
    {
      queues: [{ path: 'root.p', max: { vcore: limit } }],
      applications: [operation('x', 'root.p'), operation('y', 'root.p')],
      allocations: [...x, ...y],
    },
    thresholds,
  );
  expect(victims(planned)).toEqual(expected);
});
