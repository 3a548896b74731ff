import { describe, expect, it } from '@jest/globals';
import { codes, GIB, inQueue, lost, PRIORITY, planOf } from '../../test/in-queue.js';

/** Victims are gone, and the scheduler has not given their room out yet. docs/reference/policies/intra-queue.md §5.3 */
describe('room that was freed and that no one has taken yet', () => {
  const freed = (memory: number) => ({ properties: { freedRoom: { memory: memory * GIB } } });
  const priorities = (has: number, got: number, leaving = 0) => [
    { id: 'app1', priority: 1, has, leaving },
    { id: 'app2', priority: 2, has: got, wants: 50 - got },
  ];

  it.each([
    ['nothing given out', 70, 0, 0, 30, 20],
    ['a part given out', 70, 25, 0, 5, 20],
    ['all that is needed', 50, 0, 0, 50, 0],
    ['the rest on its way', 53, 45, 4, 2, 0],
    ['more than is needed', 30, 0, 0, 70, 0],
  ])('is for those that wait: %s', (_, has, got, leaving, room, more) => {
    const plan = planOf(inQueue(priorities(has, got, leaving), freed(room)), PRIORITY);
    expect(plan.victims).toHaveLength(more);
    expect(plan.target).toEqual(more === 0 ? {} : { memory: more * GIB });
  });

  it('counts under userlimit-first too', () => {
    const users = [
      { id: 'app1', user: 'hadoop1', has: 90 },
      { id: 'app2', user: 'hadoop2', wants: 10 },
    ];
    const half = { minimumUserLimitPercent: 50 };
    const settings = { maxAllowableLimit: 1, totalPreemptionPerRound: 1 };
    const none = planOf(inQueue(users, { properties: half }), settings);
    expect(lost(none)).toEqual({ app1: 10 });
    const some = planOf(
      inQueue(users, { properties: { ...half, freedRoom: { memory: 10 * GIB } } }),
      settings,
    );
    expect(some.victims).toEqual([]);
  });

  it('is reported as long as it makes a difference', () => {
    const plan = planOf(inQueue(priorities(70, 0), freed(30)), PRIORITY);
    expect(plan.notices).toContainEqual({
      code: 'freed-room',
      message:
        'root.default: 30 GiB memory that was freed lately is not taken yet, and counts for those that wait.',
      about: { kind: 'queue', name: 'root.default' },
    });
    expect(codes(planOf(inQueue([{ id: 'app1', priority: 1, has: 70 }], freed(30)), PRIORITY))).not.toContain(
      'freed-room',
    );
  });

  it('must be amounts', () => {
    expect(() => planOf(inQueue(priorities(70, 0), { properties: { freedRoom: 30 } }), PRIORITY)).toThrow(
      expect.objectContaining({ path: 'queues[1].properties.freedRoom' }),
    );
  });
});
