import { describe, expect, it } from '@jest/globals';
import { readSnapshot } from '#planning';
import { cluster, planOf, sparedIn } from '../../test/cluster.js';

type Properties = Record<string, unknown>;

/** `root.p.a` with the work of ann and of bob, `root.p.b` with that of ann. */
const world = (protect: { root?: unknown; p?: unknown; a?: unknown }) => {
  const of = (path: string, value: unknown, more = {}) => {
    const properties: Properties = value === undefined ? {} : { 'curtail.protect': value };
    return { path, ...more, properties };
  };
  return cluster(
    [
      of('root.p.a', protect.a),
      of('root.p.b', undefined),
      of('root', protect.root),
      of('root.p', protect.p, { max: { memory: 0 } }),
    ],
    [
      { id: 'a-ann', application: 'ann-1', queue: 'root.p.a' },
      { id: 'a-bob', application: 'bob-1', queue: 'root.p.a', priority: 50 },
      { id: 'b-ann', application: 'ann-2', queue: 'root.p.b' },
    ],
    [
      { id: 'ann-1', queue: 'root.p.a', user: 'ann', priority: 100 },
      { id: 'bob-1', queue: 'root.p.a', user: 'bob', priority: 100 },
      { id: 'ann-2', queue: 'root.p.b', user: 'ann' },
    ],
  );
};

describe('the property curtail.protect', () => {
  it.each([
    [{}, []],
    [{ a: true }, ['a-ann', 'a-bob']],
    [{ p: { users: ['ann'] } }, ['a-ann', 'b-ann']],
    [{ a: { users: ['ann'] } }, ['a-ann']],
    [{ root: { applications: ['bob-1'] } }, ['a-bob']],
    [{ root: { allocations: ['b-ann', 'nosuch'] } }, ['b-ann']],
    [{ root: { priorityAtLeast: 100 } }, ['a-ann']],
    // The protections of a chain add up; a queue cannot lift that of a queue above.
    [{ root: { allocations: ['b-ann'] }, a: { users: ['bob'] } }, ['a-bob', 'b-ann']],
    [{ p: true, a: false }, ['a-ann', 'a-bob', 'b-ann']],
    [{ p: {}, a: null }, []],
  ])('keeps out what it names, in its queue and all below: %j', (protect, kept) => {
    const { allocations } = readSnapshot(world(protect));
    expect(allocations.ids.filter((_, i) => allocations.protected[i] !== 0)).toEqual(kept);
    const plan = planOf(world(protect), { explain: true }, { queue: 'root.p' });
    expect(sparedIn(plan)).toEqual(Object.fromEntries(kept.map((id) => [id, 'protected'])));
    expect(plan.victims).toHaveLength(3 - kept.length);
  });

  it('is no mark of the platform, which counts first', () => {
    const snapshot = world({ p: true });
    const message = () =>
      planOf(snapshot, {}, { queue: 'root.p' }).notices.find(({ code }) => code === 'protected')?.message;
    expect(message()).toBe('The setting protect keeps 3 allocations of queue root.p out.');
    snapshot.allocations[0]!.protected = true;
    expect(message()).toBe(
      '3 allocations of queue root.p are protected and stay out, 1 by a mark of the platform.',
    );
  });

  it('is refused with its place in the snapshot', () => {
    expect(() => readSnapshot(world({ a: { users: [1] } }))).toThrow(
      expect.objectContaining({
        path: expect.stringMatching(/^queues\[\d\]\.properties\."curtail\.protect"\.users\[0\]$/),
      }),
    );
  });
});
