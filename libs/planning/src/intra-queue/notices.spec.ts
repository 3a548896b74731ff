import { describe, expect, it } from '@jest/globals';
import type { ClusterSnapshot } from '#contracts';
import { codes, FREE, GIB, inQueue, lost, PRIORITY, planOf } from '../../test/in-queue.js';

const inversion = (): ClusterSnapshot =>
  inQueue([
    { id: 'app1', priority: 1, has: 10 },
    { id: 'app2', priority: 2, wants: 4 },
  ]);
const always = { ...PRIORITY, minimumThreshold: 0 };
const messageOf = (plan: ReturnType<typeof planOf>, code: string): string | undefined =>
  plan.notices.find((notice) => notice.code === code)?.message;

describe('a queue is skipped', () => {
  const request = { id: 'app2', priority: 2, wants: 4 };
  it.each<[string, ClusterSnapshot]>([
    ['one-application', inQueue([{ id: 'app1', has: 60, wants: 4 }])],
    ['nothing-pending', inQueue([{ id: 'app1', has: 60 }, { id: 'app2' }])],
    ['below-threshold', inQueue([{ id: 'app1', has: 49 }, request])],
    [
      'queue-disabled',
      inQueue([{ id: 'app1', has: 60 }, request], { properties: { disablePreemption: true } }),
    ],
    [
      'queue-disabled',
      inQueue([{ id: 'app1', has: 60 }, request], { properties: { disableIntraQueuePreemption: true } }),
    ],
    ['enforcement-running', inQueue([{ id: 'app1', has: 60 }, request], { enforcing: true })],
  ])('%s', (code, snapshot) => {
    const plan = planOf(snapshot, { ...PRIORITY, explain: true });
    expect(plan.victims).toEqual([]);
    expect(codes(plan)).toEqual([code]);
    expect(plan.notices[0]!.message).toMatch(/^root\.default: /);
    expect(new Set(plan.spared!.map(({ reason }) => reason))).toEqual(new Set([code]));
    const closed = code === 'queue-disabled' || code === 'enforcement-running';
    expect(plan.outcome).toBe(closed ? 'skipped' : 'not-needed');
  });
  it('without a word where it has no applications', () => {
    expect(planOf(inQueue([]), PRIORITY)).toMatchObject({ outcome: 'not-needed', notices: [], shares: [] });
  });
  it('unless a child states otherwise', () => {
    const snapshot = inversion();
    snapshot.queues[0]!.properties = { disablePreemption: true };
    expect(planOf(snapshot, always).outcome).toBe('skipped');
    snapshot.queues[1]!.properties = { disablePreemption: false };
    expect(planOf(snapshot, always).victims).toHaveLength(4);
  });
});

it('switched off, nothing is planned', () => {
  const plan = planOf(inversion(), { ...always, enabled: false, explain: true });
  expect(plan).toMatchObject({ outcome: 'skipped', victims: [], shares: [] });
  expect(codes(plan)).toEqual(['feature-disabled']);
});

it('observing plans as usual, and states so', () => {
  const plan = planOf(inversion(), { ...always, observeOnly: true });
  expect(plan.observeOnly).toBe(true);
  expect(plan.victims).toHaveLength(4);
  expect(codes(plan)).toEqual(['observe-only']);
  expect(planOf(inversion(), always)).not.toHaveProperty('observeOnly');
});

describe('a notice', () => {
  it('cooling states until when, and the application loses nothing', () => {
    const snapshot = inQueue([
      { id: 'app1', priority: 1, has: 10, lastPreemptedAt: '2026-11-21T11:59:30.000Z' },
      { id: 'app2', priority: 2, wants: 4 },
    ]);
    const plan = planOf(snapshot, { ...always, cooldown: 60_000, explain: true });
    expect(plan.victims).toEqual([]);
    expect(messageOf(plan, 'cooling')).toContain('2026-11-21T12:00:30.000Z');
    expect(codes(plan)).toContain('only-masters');
    expect(plan.spared!.filter(({ reason }) => reason === 'cooling')).toHaveLength(9);
    expect(planOf(snapshot, { ...always, cooldown: 30_000 }).victims).toHaveLength(4);
    const forEver = planOf(snapshot, { ...always, cooldown: Number.MAX_SAFE_INTEGER });
    expect(messageOf(forEver, 'cooling')).toContain('until 9999-12-31T23:59:59.999Z');
  });
  it('unfit: what has no room for a request that waits stays', () => {
    const snapshot = inversion();
    snapshot.applications[1]!.pending = [{ resources: { memory: 2 * GIB }, count: 2 }];
    snapshot.allocations[9]!.resources = { memory: 2 * GIB };
    const plan = planOf(snapshot, { ...always, fitAware: true, explain: true });
    expect(plan.victims.map(({ allocation }) => allocation)).toEqual(['app1-010']);
    expect(messageOf(plan, 'unfit')).toContain('8 allocations');
    expect(plan.spared!.filter(({ reason }) => reason === 'unfit')).toHaveLength(8);
    expect(planOf(snapshot, always).victims).toHaveLength(3);
  });
  it('opted-out: owners who asked to be spared go last', () => {
    const snapshot = inversion();
    for (const allocation of snapshot.allocations.slice(4)) allocation.allowPreemption = false;
    const plan = planOf(snapshot, always);
    expect(plan.victims.map(({ allocation }) => allocation)).toEqual([
      'app1-004',
      'app1-003',
      'app1-002',
      'app1-010',
    ]);
    expect(messageOf(plan, 'opted-out')).toContain('1 victim');
  });
  it('equal-priority: inside a user only lower priority gives', () => {
    const snapshot = inQueue([
      { id: 'app1', has: 10 },
      { id: 'app2', wants: 4 },
    ]);
    // The earlier submitted is the more entitled.
    snapshot.applications[1]!.submittedAt = '2026-11-21T07:00:00Z';
    const plan = planOf(snapshot, always);
    expect(plan.victims).toEqual([]);
    expect(messageOf(plan, 'equal-priority')).toContain('app1');
  });
  it('need-above-user-limit names what is wanted and the limit', () => {
    const plan = planOf(
      inQueue(
        [
          { id: 'app1', has: 10 },
          { id: 'app2', user: 'u2', wants: 90, priority: 2 },
        ],
        {
          properties: { userResourceLimit: {} },
        },
      ),
      always,
    );
    expect(messageOf(plan, 'need-above-user-limit')).toBe(
      'root.default: app2 wants 90 GiB memory; user u2 may have nothing and uses nothing.',
    );
  });
  it('no-inversion where there is no other notice', () => {
    const plan = planOf(
      inQueue([
        { id: 'app1', priority: 2, has: 10 },
        { id: 'app2', priority: 1, wants: 4 },
      ]),
      always,
    );
    expect(codes(plan)).toEqual(['no-inversion']);
  });
});

it('a reason states who waits, the policy, and the priorities, or usage and limit', () => {
  expect(planOf(inversion(), always).victims[0]!.reason).toBe(
    'app2 of user hadoop1 (priority 2) waits in root.default for 4 GiB memory; by priority-first app1 of user hadoop1 (priority 1) gives way, as its priority is lower.',
  );
  const over = inQueue(
    [
      { id: 'app1', user: 'u1', has: 60, priority: 9 },
      { id: 'app2', user: 'u2', wants: 4 },
    ],
    { properties: { userResourceLimit: { memory: 20 * GIB } } },
  );
  const plan = planOf(over, FREE);
  expect(lost(plan)).toEqual({ app1: 4 });
  expect(plan.victims[0]!.reason).toBe(
    'app2 of user u2 (priority 1) waits in root.default for 4 GiB memory; by userlimit-first app1 of user u1 (priority 9) gives way: u1 uses 60 GiB memory, and its limit is 20 GiB memory.',
  );
});

it('a switch that is off for the cluster is not asked of the queues that are left out', () => {
  const snapshot = inversion();
  snapshot.queues.push({ path: 'root.other', guaranteed: { memory: GIB } });
  expect(planOf(snapshot, always, 'root.other')).toMatchObject({
    queue: 'root.other',
    outcome: 'not-needed',
  });
});

it('with several types one that runs out stops the dealing out, unless set otherwise', () => {
  const snapshot = inversion();
  snapshot.nodes = [{ id: 'n1', capacity: { memory: 100 * GIB, vcore: 100_000, gpu: 4 } }];
  for (const allocation of snapshot.allocations) allocation.resources = { memory: GIB, vcore: 1000 };
  snapshot.applications[1]!.pending = [{ resources: { memory: GIB, vcore: 1000 }, count: 4 }];
  snapshot.queues[1]!.guaranteed = { memory: 10 * GIB, vcore: 10_000, gpu: 4 };
  const dominant = { ...always, resourceCalculator: 'dominant' as const };
  const plan = planOf(snapshot, dominant);
  expect(plan.victims).toEqual([]);
  expect(codes(plan)).toContain('conservative-drf');
  expect(planOf(snapshot, { ...dominant, conservativeDrf: false }).victims).toHaveLength(4);
});
