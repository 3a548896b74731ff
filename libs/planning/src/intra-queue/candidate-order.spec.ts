import { readSnapshot } from '@curtail/planning';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { crowdedInQueueCase } from '../../test/generated-in-queue-clusters.js';
import { inQueue } from '../../test/in-queue.js';
import { compareCandidates, sortCandidates } from './candidate-order.js';

type Change = Record<string, unknown>;

/** The ids in the order in which two allocations go, that differ in nothing but what is changed. */
function order(first: Change, second: Change): string[] {
  const written = inQueue([{ id: 'app1', has: 3, step: 0 }]);
  Object.assign(written.allocations[1]!, { id: 'first' }, first);
  Object.assign(written.allocations[2]!, { id: 'second' }, second);
  const snapshot = readSnapshot(written);
  return sortCandidates(snapshot, [1, 2]).map((a) => snapshot.allocations.ids[a]!);
}

describe('goes first', () => {
  const later = '2026-11-21T11:00:00Z';
  it.each<[string, Change, Change]>([
    ['a placeholder, whatever else', { role: 'placeholder', allowPreemption: false, priority: 9 }, {}],
    ['who allows it', { priority: 9 }, { allowPreemption: false, startedAt: later }],
    ['the lower priority', { priority: -1 }, { priority: 0, startedAt: later }],
    ['a priority that is no whole number too', { priority: 0.25 }, { priority: 0.5, startedAt: later }],
    ['the younger', { startedAt: later, id: 'a-first' }, {}],
    ['the larger id', { id: 'z' }, { id: 'a' }],
  ])('%s', (_, first, second) => {
    const [one, other] = [
      { id: 'first', ...first },
      { id: 'second', ...second },
    ];
    expect(order(one, other)[0]).toBe(one.id);
    expect(order(other, one)[0]).toBe(one.id);
  });
});

it('numbers in place of a comparator give the same order', () => {
  fc.assert(
    fc.property(crowdedInQueueCase, ({ snapshot: input }) => {
      const snapshot = readSnapshot(input);
      const all = [...snapshot.allocations.ids.keys()];
      expect(sortCandidates(snapshot, all)).toEqual(
        all.toSorted((a, b) => compareCandidates(snapshot, a, b)),
      );
    }),
    { numRuns: 100 },
  );
});
