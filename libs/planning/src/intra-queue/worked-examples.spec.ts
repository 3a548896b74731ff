import { describe, expect, it } from '@jest/globals';
import { codes, FREE, GIB, inQueue, lost, PRIORITY, planOf } from '../../test/in-queue.js';

/** docs/reference/policies/intra-queue.md §12, line by line. */
describe('a more important application of the same user waits', () => {
  const queue = inQueue([
    { id: 'app1', priority: 1, has: 100 },
    { id: 'app2', priority: 2, wants: 50 },
  ]);

  it('and gets what it wants, the youngest first', () => {
    const plan = planOf(queue, { ...PRIORITY, explain: true });
    expect(plan.outcome).toBe('satisfied');
    expect(plan.target).toEqual({ memory: 50 * GIB });
    expect(plan.victims.map(({ allocation }) => allocation)).toEqual(
      Array.from({ length: 50 }, (_, i) => `app1-${String(100 - i).padStart(3, '0')}`),
    );
    expect(plan.shares[0]!.applications).toEqual([
      {
        application: 'app2',
        used: {},
        pending: { memory: 50 * GIB },
        ideal: { memory: 50 * GIB },
        need: { memory: 50 * GIB },
        offer: {},
        give: {},
      },
      {
        application: 'app1',
        used: { memory: 100 * GIB },
        pending: {},
        ideal: { memory: 49 * GIB },
        need: {},
        offer: { memory: 50 * GIB },
        give: { memory: 50 * GIB },
      },
    ]);
  });

  it('gets a tenth of the cluster a round by default', () => {
    const plan = planOf(queue, { preemptionOrderPolicy: 'priority-first' });
    expect(plan.outcome).toBe('best-effort');
    expect(lost(plan)).toEqual({ app1: 10 });
    expect(plan.target).toEqual({ memory: 50 * GIB });
    expect(plan.shortfall).toEqual({ memory: 40 * GIB });
    expect(codes(plan)).toEqual(['best-effort', 'round-ceiling']);
  });

  it.each([
    [10, 40, 'satisfied'],
    [50, 0, 'not-needed'],
  ])('with %i in flight loses %i more', (leaving, more, outcome) => {
    const plan = planOf(
      inQueue([
        { id: 'app1', priority: 1, has: 100, leaving },
        { id: 'app2', priority: 2, wants: 50 },
      ]),
      PRIORITY,
    );
    expect(plan.outcome).toBe(outcome);
    expect(plan.victims).toHaveLength(more);
    expect(plan.inFlight).toEqual({ memory: leaving * GIB });
  });

  it('gets nothing under userlimit-first, where the user would not stay above its limit', () => {
    const plan = planOf(queue);
    expect(plan.outcome).toBe('not-needed');
    expect(plan.victims).toEqual([]);
    expect(codes(plan)).toContain('dead-zone');
  });
});

describe('a user under its limit waits', () => {
  const half = { properties: { minimumUserLimitPercent: 50 } };
  const alone = (properties = {}) =>
    inQueue(
      [
        { id: 'app1', user: 'hadoop1', has: 100, wants: 50 },
        { id: 'app2', user: 'hadoop2', wants: 150 },
      ],
      { properties: { ...half.properties, ...properties } },
    );

  it('and the other stays above its half', () => {
    const plan = planOf(alone(), { ...FREE, explain: true });
    expect(plan.outcome).toBe('satisfied');
    expect(lost(plan)).toEqual({ app1: 49 });
    expect(codes(plan)).toContain('dead-zone');
    expect(plan.shares[0]!.users![0]!.limit).toEqual({ memory: 50 * GIB + 1 });
  });

  it.each([
    ['a minimum allocation raises the limit', {}, { ...FREE, minimumAllocation: { memory: GIB } }, 48],
    [
      'exactly at a limit worked out elsewhere is too little',
      { userResourceLimit: { memory: 50 * GIB } },
      { ...FREE, minimumAllocation: { memory: GIB } },
      49,
    ],
    ['default ceilings', {}, {}, 10],
  ])('%s', (_, properties, settings, count) => {
    expect(lost(planOf(alone(properties), settings))).toEqual({ app1: count });
  });

  it('no one is over with 50 and 50', () => {
    const queue = inQueue(
      [
        { id: 'app1', user: 'hadoop1', has: 50, wants: 50 },
        { id: 'app2', user: 'hadoop2', has: 50, wants: 50 },
      ],
      half,
    );
    expect(planOf(queue)).toMatchObject({ outcome: 'not-needed', victims: [] });
  });

  it.each([
    ['a third user waits', 50, 50, 0, 150],
    ['and gets what ends by itself', 40, 45, 15, 135],
  ])('%s', (_, first, second, third, wants) => {
    const more = first === 50 ? 50 : 0;
    const queue = inQueue(
      [
        { id: 'app1', user: 'hadoop1', has: first, wants: more },
        { id: 'app2', user: 'hadoop2', has: second, wants: more },
        { id: 'app3', user: 'hadoop3', has: third, wants },
      ],
      half,
    );
    const plan = planOf(queue);
    expect(plan.victims).toEqual([]);
    expect(codes(plan)).toContain('nobody-over');
  });

  it.each([
    ['fair', { app1: 20 }],
    ['fifo', { app2: 6, app1: 14 }],
  ])('of two that are over, %s', (orderingPolicy, expected) => {
    const queue = inQueue(
      [
        { id: 'app1', user: 'u1', has: 60 },
        { id: 'app2', user: 'u2', has: 40 },
        { id: 'app3', user: 'u3', wants: 20 },
      ],
      { properties: { minimumUserLimitPercent: 25, orderingPolicy } },
    );
    expect(lost(planOf(queue))).toEqual(expected);
  });
});

describe('equal priority', () => {
  it('the youngest of both go, whichever application holds them', () => {
    const queue = inQueue([
      { id: 'app1', priority: 1, has: 50, from: 100, step: 2 },
      { id: 'app2', priority: 1, has: 50, from: 101, step: 2 },
      { id: 'app3', priority: 2, wants: 4 },
    ]);
    expect(lost(planOf(queue, PRIORITY))).toEqual({ app1: 2, app2: 2 });
  });

  it.each([
    [0, { app1: 2, app2: 2 }],
    [1, { app1: 1, app2: 2 }],
    [2, { app2: 2 }],
  ])('with %i of a stand-in leaving it gives so much less for others', (leaving, expected) => {
    // app2 gives 2 to app3 of its user and 2 to app4 of another. For the first, app1 stands in, with the younger ones.
    const queue = inQueue(
      [
        { id: 'app1', user: 'a', priority: 1, has: 50, from: 300, leaving },
        { id: 'app2', user: 'a', priority: 1, has: 50, from: 100 },
        { id: 'app3', user: 'a', priority: 2, wants: 2 },
        { id: 'app4', user: 'b', priority: 1, wants: 2 },
      ],
      { properties: { minimumUserLimitPercent: 50 } },
    );
    expect(lost(planOf(queue, PRIORITY))).toEqual(expected);
  });
});
