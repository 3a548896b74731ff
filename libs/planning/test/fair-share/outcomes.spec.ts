import { describe, expect, it } from '@jest/globals';
import { planAndObserveFairShare, readSnapshot } from '#planning';
import {
  ago,
  codes,
  fairShare,
  nodes,
  ones,
  operation,
  plan,
  running,
  type SmallCluster,
  statusOf,
  TAKEN_AT,
  victims,
} from './small-cluster.js';

const thresholds = { aggressivePreemptionSatisfactionThreshold: 0.5, preemptionSatisfactionThreshold: 1 };
const starving = { belowFairShareSince: ago(60) };
/** `old` holds a node of 10, `new` starves and wants it too. */
const full: Partial<SmallCluster> = {
  applications: [operation('old', 'root'), operation('new', 'root', { count: 10, ...starving })],
  allocations: running('old', ones(10)),
};

describe('what is skipped', () => {
  const enforcing = [{ path: 'root', enforcing: true }];
  it.each([
    ['policy-off', full, { reasons: [] }],
    ['run-in-progress', { ...full, queues: enforcing }, {}],
    ['no-nodes', { ...full, nodes: [], allocations: [] }, {}],
    ['policy-off', { ...full, queues: enforcing, nodes: [], allocations: [] }, { reasons: [] }],
  ])('%s', (code, cluster, settings) => {
    const planned = plan(cluster, settings);
    expect([planned.outcome, codes(planned), planned.victims]).toEqual(['skipped', [code], []]);
  });
});

describe('notices', () => {
  it.each<[string, Partial<SmallCluster>, object]>([
    ['more-to-come', full, thresholds],
    ['starving-unplaceable', full, thresholds],
    [
      'guarantees-scaled',
      { queues: ['a', 'b'].map((name) => ({ path: `root.${name}`, guaranteed: { vcore: 8 } })) },
      {},
    ],
    [
      'no-fair-share',
      { applications: [operation('x', 'root', { count: 1, resourceLimits: { vcore: 0 } })] },
      {},
    ],
    [
      'overcommit-waiting',
      { ...full, nodes: nodes(8) },
      { reasons: ['overcommit'], preemptionSatisfactionThreshold: 9 },
    ],
    [
      'protected-evicted',
      { ...full, nodes: [{ ...nodes(8)[0]!, properties: { overcommittedSince: ago(16) } }] },
      { preemptionSatisfactionThreshold: 9, aggressivePreemptionSatisfactionThreshold: 9 },
    ],
    [
      'overcommit-remains',
      { ...full, nodes: [{ ...nodes(8)[0]!, properties: { overcommittedSince: ago(16) } }] },
      { protect: { applications: ['old'] } },
    ],
    [
      'limit-violation-remains',
      {
        applications: [operation('old', 'root', { resourceLimits: { vcore: 1 } })],
        allocations: running('old', [5, 5]),
      },
      { protect: { allocations: ['old-01'] } },
    ],
    [
      'opted-out-taken',
      { ...full, allocations: full.allocations!.map((one) => ({ ...one, allowPreemption: false })) },
      thresholds,
    ],
    [
      'below-own-share',
      {
        ...full,
        applications: [
          operation('old', 'root'),
          operation('new', 'root', { count: 1, each: 7, ...starving }),
        ],
      },
      { ...thresholds, preemptionSatisfactionThreshold: 0.5, reasons: ['starvation'] },
    ],
  ])('%s', (code, cluster, settings) => {
    const { notices } = plan(cluster, settings as Record<string, unknown>);
    expect(notices.map((notice) => notice.code)).toContain(code);
    for (const { message } of notices) expect(message).toMatch(/^[A-Z0-9].*\.$/);
  });

  it('states when the first back-off ends', () => {
    const { notices } = plan(full, { ...thresholds, preemptiveSchedulingBackoff: 7000 });
    expect(notices.find(({ code }) => code === 'more-to-come')!.message).toContain(
      '2026-11-21T10:00:07.001Z',
    );
  });
});

describe('times whose end no calendar has', () => {
  const forEver = Number.MAX_SAFE_INTEGER;
  const messageOf = (planned: ReturnType<typeof plan>, code: string) =>
    planned.notices.find((notice) => notice.code === code)!.message;

  it('a back-off', () => {
    const planned = plan(full, { ...thresholds, preemptiveSchedulingBackoff: forEver });
    expect(messageOf(planned, 'more-to-come')).toContain('ends at 9999-12-31T23:59:59.999Z');
  });

  it('the time in which a node may hold too much', () => {
    const over = [{ ...nodes(8)[0]!, properties: { overcommittedSince: ago(16) } }];
    const settings = { preemptionSatisfactionThreshold: 9, allowedNodeResourcesOvercommitDuration: forEver };
    const planned = plan({ ...full, nodes: over }, settings);
    expect(messageOf(planned, 'overcommit-waiting')).toContain('from 9999-12-31T23:59:59.999Z on');
  });

  it('all of them at once, also of a pool and of operations', () => {
    const everywhere = { fairShareStarvationTimeout: forEver, allocationPreemptionTimeout: forEver };
    const applications = full.applications!.map((one) => ({
      ...one,
      queue: 'root.a',
      properties: { ...(one.properties as object), ...everywhere, starvationStatus: 'starving' },
    }));
    const planned = plan(
      { ...full, applications, queues: [{ path: 'root.a', properties: everywhere }] },
      {
        ...{ ...thresholds, ...everywhere, fairShareAggressiveStarvationTimeout: forEver },
        ...{ allowPreemptionFromStarvingOperations: true, enableAggressiveStarvation: true },
      },
    );
    expect(planned.victims[0]!.gracePeriodMs).toBe(forEver);
    expect(statusOf(planned, 'new').starvation).toBe('starving');
  });

  it('a moment that is in another year at Greenwich', () => {
    const late = full.allocations!.map((one) => ({ ...one, startedAt: '9999-12-31T23:59:59.999-23:59' }));
    expect(plan({ ...full, allocations: late }, thresholds).victims[0]!.reason).toContain(
      'started 9999-12-31T23:59:59.999Z',
    );
  });
});

describe('the settings `reasons`', () => {
  const cluster: Partial<SmallCluster> = {
    ...full,
    nodes: nodes(9),
    applications: [
      operation('old', 'root', { resourceLimits: { vcore: 8 } }),
      operation('new', 'root', { count: 10, ...starving }),
    ],
  };
  it.each([
    [['resource-limits'], ['resource-limits']],
    [['overcommit'], ['overcommit']],
    [['starvation'], ['starvation']],
  ])('%j: only that is acted on', (reasons, causes) => {
    const planned = plan(cluster, { ...thresholds, reasons });
    expect([...new Set(planned.reasons!.map(({ cause }) => cause))]).toEqual(causes);
    expect([...new Set(planned.victims.map(({ cause }) => cause))]).toEqual(causes);
  });
});

it('states what is missing, and what gives it how long to end', () => {
  const allocations = full.allocations!.map((one) => ({ ...one, interruptible: one.id !== 'old-10' }));
  const applications = [
    operation('old', 'root', { allocationPreemptionTimeout: 700 }),
    operation('new', 'root', { count: 2, each: 2, ...starving }),
  ];
  const planned = plan({ applications, allocations }, thresholds);
  expect(planned.reasons).toEqual([
    { cause: 'starvation', kind: 'operation', name: 'new', answered: false, missing: { vcore: 4 } },
  ]);
  expect(planned.victims.map(({ allocation, gracePeriodMs }) => [allocation, gracePeriodMs])).toEqual([
    ['old-10', 0],
    ['old-09', 700],
  ]);
  expect(planned.claimed).toEqual({ vcore: 2 });
});

it('with `bestAllocationShare` memory counts as far as allocations of the usual size fill nodes', () => {
  const resources = { memory: 3, pods: 1 };
  const cluster = {
    nodes: ['n1', 'n2'].map((id) => ({ id, capacity: { memory: 10, pods: 10 } })),
    applications: [{ ...operation('x', 'root'), pending: [{ resources, count: 9 }] }],
  };
  expect(statusOf(plan(cluster), 'x').limitsShare.memory).toBe(1);
  expect(statusOf(plan(cluster, { bestAllocationShare: true }), 'x').limitsShare.memory).toBe(0.9);
});

it('reports to the clock what it saw: timeouts as they are in force, and what holds too much', () => {
  const snapshot = readSnapshot({
    takenAt: TAKEN_AT,
    nodes: [...nodes(2, 10)],
    queues: [{ path: 'root.p', properties: { enableAggressiveStarvation: true } }],
    applications: [
      operation('x', 'root.p', { count: 1, fairShareStarvationTimeout: 60_000 }),
      operation('y', 'root'),
    ],
    allocations: running('y', [3]).map((one) => ({ ...one, queue: 'root' })),
  });
  const { observation, plan: planned } = planAndObserveFairShare(snapshot, {
    allocationCountPreemptionTimeoutCoefficient: 4,
  });
  expect(observation).toEqual({
    at: TAKEN_AT,
    overcommitMs: 15_000,
    elements: [
      {
        kind: 'pool',
        name: 'root.p',
        queue: 'root.p',
        status: 'below_fair_share',
        timeout: 30_000,
        aggressiveTimeout: 120_000,
      },
      {
        kind: 'operation',
        name: 'x',
        queue: 'root.p',
        status: 'below_fair_share',
        timeout: 15_000,
        aggressiveTimeout: 30_000,
      },
      { kind: 'operation', name: 'y', queue: 'root', status: 'normal', timeout: 0, aggressiveTimeout: null },
    ],
    nodes: [
      { id: 'n1', over: true },
      { id: 'n2', over: false },
    ],
  });
  expect(victims(planned)).toEqual([]);
  expect(planAndObserveFairShare(snapshot, { reasons: [] }).observation).toBeNull();
});

it('an operation that starves loses nothing, even if free room would give it what it lacks', () => {
  // w2 starves and could start into the last unit of n1; then its one on n2 would be what w0 needs there.
  const cluster = {
    nodes: nodes(2, 3, 2),
    queues: [{ path: 'root.a', properties: { enableAggressiveStarvation: true } }],
    applications: [
      operation('h0', 'root.a'),
      operation('w0', 'root.a', { count: 1, each: 3, belowFairShareSince: ago(121) }),
      operation('w1', 'root.a', { count: 1, belowFairShareSince: ago(29) }),
      operation('w2', 'root.a', { count: 1, belowFairShareSince: ago(31) }),
    ],
    allocations: [
      ...running('h0', ones(4), (number) => `n${[1, 2, 2, 3][number - 1]}`),
      ...running('w1', ones(1), () => 'n3'),
      ...running('w2', ones(1), () => 'n2'),
    ],
  };
  const planned = plan(cluster);
  expect(statusOf(planned, 'w2').starvation).toBe('starving');
  expect(victims(planned)).toEqual([]);
  const allowed = plan(cluster, { allowPreemptionFromStarvingOperations: true });
  expect(victims(allowed)).toContain('w2-01');
});

it('an operation gets no more by force because something started for it, though its pool starves aggressively', () => {
  // w0 starves by itself; once the free unit of n1 is its own it is satisfied, and its pool continues to starve aggressively.
  const planned = plan(
    {
      nodes: [{ id: 'n1', capacity: { vcore: 3, memory: 0 } }],
      queues: [
        { path: 'root.a', properties: { enableAggressiveStarvation: true, belowFairShareSince: ago(121) } },
        { path: 'root.b' },
      ],
      applications: [
        operation('h0', 'root.b'),
        operation('w0', 'root.a', { count: 2, belowFairShareSince: ago(31) }),
        {
          ...operation('w1', 'root.a', { belowFairShareSince: ago(29) }),
          pending: [{ resources: { vcore: 1, memory: 1 }, count: 1 }],
        },
      ],
      allocations: running('h0', ones(2)),
    },
    { aggressiveStageFirst: true },
  );
  expect([statusOf(planned, 'w0').priority, statusOf(planned, 'w1').priority]).toEqual([
    'starving',
    'aggressively_starving',
  ]);
  expect(planned.victims.filter(({ cause }) => cause === 'aggressive-starvation')).toEqual([]);
});

it('a gang whose start would fill its pool to the last unit, with others still growing there, holds no one else up', () => {
  // In root.a the gang jumps just when `grows` has a half, and both together have the whole cluster: further they cannot go.
  const planned = plan(
    {
      nodes: nodes(6),
      queues: [{ path: 'root.a', guaranteed: { vcore: 1 } }],
      applications: [
        operation('grows', 'root.a', { count: 2, each: 2 }),
        operation('gang', 'root.a', { isGang: true }),
        operation('light', 'root', { weight: 0.3 }),
        operation('wide', 'root', { count: 1, each: 3, isGang: true }),
      ],
      allocations: [...running('gang', [3]), ...running('light', [2]), ...running('wide', [1, 2])],
    },
    { enableStepFunctionForGangOperations: true },
  );
  const shares = ['grows', 'gang', 'light', 'wide'].map((name) => fairShare(planned, name));
  expect(shares).toEqual([expect.closeTo(1 / 2, 8), 0, expect.closeTo(1 / 3, 8), 0]);
});
