import { describe, expect, it } from '@jest/globals';
import { cluster, codesOf, idsOf, planOf, sparedIn } from '../../test/cluster.js';

const sharesOf = (plan: ReturnType<typeof planOf>) =>
  plan.shares.map(({ queue, target, claimed }) => [queue, target.memory ?? 0, claimed.memory ?? 0]);

describe('sharing out below a queue', () => {
  it('reprieves over the victims of all leaves, in one order', () => {
    const snapshot = cluster(
      [{ path: 'root.q', max: { memory: 18 } }, { path: 'root.q.a' }, { path: 'root.q.b' }],
      [
        { id: 'a1', queue: 'root.q.a', resources: { memory: 3 }, priority: 1 },
        { id: 'a2', queue: 'root.q.a', resources: { memory: 12 }, priority: 2 },
        { id: 'b1', queue: 'root.q.b', resources: { memory: 3 }, priority: 0 },
        { id: 'b2', queue: 'root.q.b', resources: { memory: 12 }, priority: 0 },
      ],
    );
    // Shares 6 and 6: a gives 3 + 12, b would be next, but the target of 12 is reached; a1 is given back.
    const plan = planOf(snapshot, { explain: true });
    expect(idsOf(plan)).toEqual(['a2']);
    expect(sparedIn(plan)).toEqual({ a1: 'given-back', b1: 'not-needed', b2: 'not-needed' });
    expect(sharesOf(plan)).toEqual([
      ['root.q.a', 6, 12],
      ['root.q.b', 6, 0],
    ]);
  });
  it('takes depth first, siblings by name, and ranks in the order of taking', () => {
    const snapshot = cluster(
      [
        { path: 'root.q', max: { memory: 0 } },
        { path: 'root.q.b.x' },
        { path: 'root.q.a' },
        { path: 'root.q.b-1' },
      ],
      ['root.q.b-1', 'root.q.b.x', 'root.q.a'].map((queue) => ({ id: queue, queue })),
    );
    const plan = planOf(snapshot, { explain: true });
    expect(idsOf(plan)).toEqual(['root.q.a', 'root.q.b.x', 'root.q.b-1']);
    expect(plan.shares.map((share) => share.queue)).toEqual([
      'root.q.a',
      'root.q.b',
      'root.q.b.x',
      'root.q.b-1',
    ]);
  });
  it('takes the max of the queue alone, also where queues below have a larger one, or guarantee more than it', () => {
    const victims = (guaranteed: number) =>
      idsOf(
        planOf(
          cluster(
            [
              { path: 'root.q', max: { memory: 20 } },
              { path: 'root.q.a', max: { memory: 50 }, guaranteed: { memory: guaranteed } },
              { path: 'root.q.a.x', max: { memory: 90 } },
              { path: 'root.q.b', max: { memory: 5 } },
            ],
            [
              ...['x1', 'x2', 'x3'].map((id) => ({ id, queue: 'root.q.a.x', resources: { memory: 10 } })),
              { id: 'b1', queue: 'root.q.b', resources: { memory: 5 } },
            ],
          ),
        ),
      );
    // 35 is 15 above the max of q, which is all that counts: a is within its 50, and x within its 90.
    expect(victims(0)).toEqual(['x1', 'x2']);
    expect(victims(30)).toEqual(['b1']);
  });
  it('lists spared by path, then id, which is not the order of the tree', () => {
    const snapshot = cluster(
      [{ path: 'root.q', max: { memory: 90 } }, { path: 'root.q.b.x' }, { path: 'root.q.b-1' }],
      [
        { id: '9', queue: 'root.q.b.x' },
        { id: '10', queue: 'root.q.b.x' },
        { id: '1', queue: 'root.q.b-1' },
        { id: '2', queue: 'root.q.b-1' },
      ],
    );
    const spared = planOf(snapshot, { explain: true }).spared!;
    expect(spared.map(({ allocation }) => allocation)).toEqual(['1', '2', '10', '9']);
  });
  it('leaves out an enforcing queue at any level with everything below it', () => {
    const snapshot = cluster(
      [
        { path: 'root.q', max: { memory: 10 } },
        { path: 'root.q.a' },
        { path: 'root.q.a.running', enforcing: true },
        { path: 'root.q.a.running.leaf' },
        { path: 'root.q.a.other', dynamic: true },
      ],
      [
        { id: 'kept', queue: 'root.q.a.running.leaf' },
        { id: 'taken', queue: 'root.q.a.other' },
      ],
    );
    const plan = planOf(snapshot, { explain: true });
    expect(plan.shares.map((share) => share.queue)).toEqual(['root.q.a', 'root.q.a.other']);
    expect(idsOf(plan)).toEqual(['taken']);
    expect(sparedIn(plan)).toEqual({ kept: 'enforcing' });
  });
  it('limits an inner queue by its own guaranteed amount, and states that siblings give more', () => {
    const snapshot = cluster(
      [
        { path: 'root.q', max: { memory: 20 } },
        { path: 'root.q.a', guaranteed: { memory: 15 } },
        { path: 'root.q.a.x' },
        { path: 'root.q.b' },
      ],
      [
        { id: 'a1', queue: 'root.q.a.x', resources: { memory: 8 } },
        { id: 'a2', queue: 'root.q.a.x', resources: { memory: 12 } },
        ...[1, 2, 3, 4].map((i) => ({ id: `b${i}`, queue: 'root.q.b', resources: { memory: 5 } })),
      ],
    );
    const plan = planOf(snapshot, { explain: true });
    // No candidate of a fits into the 5 that it may give: its room is 0, and all of it falls to b.
    expect(sharesOf(plan)).toEqual([
      ['root.q.a', 0, 0],
      ['root.q.a.x', 0, 0],
      ['root.q.b', 20, 20],
    ]);
    expect(plan.outcome).toBe('satisfied');
  });
  it('makes further passes where a share could not be given, and states so', () => {
    // Of a either can go alone, not both: it has room for 12, is asked for 8 and gives 6, which b makes up for.
    const snapshot = cluster(
      [
        { path: 'root.q', max: { memory: 6 } },
        { path: 'root.q.a', guaranteed: { vcore: 4 } },
        { path: 'root.q.b' },
      ],
      [
        { id: 'a1', queue: 'root.q.a', resources: { memory: 6, vcore: 4 } },
        { id: 'a2', queue: 'root.q.a', resources: { memory: 6, vcore: 4 } },
        { id: 'b1', queue: 'root.q.b', resources: { memory: 2 } },
        { id: 'b2', queue: 'root.q.b', resources: { memory: 2 } },
        { id: 'b3', queue: 'root.q.b', resources: { memory: 2 } },
      ],
    );
    const plan = planOf(snapshot);
    expect(sharesOf(plan)).toEqual([
      ['root.q.a', 8, 6],
      ['root.q.b', 4, 6],
    ]);
    expect(idsOf(plan)).toEqual(['a1', 'b1', 'b2', 'b3']);
    expect(codesOf(plan)).toEqual(['guaranteed-floor', 'shifted-to-siblings']);
    expect(plan.notices[1]!.message).toContain('1 more allocation was taken in further rounds');
  });
  it('with within a leaf gives no more than its share', () => {
    const snapshot = cluster(
      [{ path: 'root.q', max: { memory: 12 } }, { path: 'root.q.a' }, { path: 'root.q.b' }],
      [
        { id: 'a1', queue: 'root.q.a', resources: { memory: 5 } },
        { id: 'a2', queue: 'root.q.a', resources: { memory: 5 } },
        { id: 'b1', queue: 'root.q.b', resources: { memory: 4 } },
        { id: 'b2', queue: 'root.q.b', resources: { memory: 6 } },
      ],
    );
    // 4 and 4 first: a can give nothing, b gives 4; then 10 * 4 / 16 and 6 * 4 / 16 are below every size.
    const plan = planOf(snapshot, { fit: 'within', explain: true });
    expect(idsOf(plan)).toEqual(['b1']);
    expect(plan.shortfall).toEqual({ memory: 4 });
    expect(sparedIn(plan)).toEqual({ a1: 'past-target', a2: 'past-target', b2: 'past-target' });
    expect(codesOf(plan)).toEqual(['best-effort']);
  });
});
