import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readSnapshot } from '#planning';
import { crowdedInQueueCase } from '../../test/generated-in-queue-clusters.js';
import { inQueue } from '../../test/in-queue.js';
import { numbersTo } from '../groups-of.js';
import { type QueueSnapshot, queueSnapshotOf } from '../snapshot/by-queue.js';
import { PLACEHOLDER } from '../snapshot/columns.js';
import { CandidateOrder } from './orders.js';

type Change = Record<string, unknown>;

/** The ids in the order in which two allocations go, that differ in nothing but what is changed. */
function order(first: Change, second: Change): string[] {
  const written = inQueue([{ id: 'app1', has: 3, step: 0 }]);
  Object.assign(written.allocations[1]!, { id: 'first' }, first);
  Object.assign(written.allocations[2]!, { id: 'second' }, second);
  const snapshot = queueSnapshotOf(readSnapshot(written));
  const list = numbersTo(snapshot.allocations.count).filter((a) => snapshot.allocations.inputPlace[a] !== 0);
  new CandidateOrder(snapshot).sort(list);
  return Array.from(list, (a) => snapshot.allocations.ids[a]!);
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

/** The rules one after the other. */
function compare({ allocations }: QueueSnapshot, a: number, b: number): number {
  const { role, optedOut, priority, startedAt, ids } = allocations;
  const byRole = Number(role[a] !== PLACEHOLDER) - Number(role[b] !== PLACEHOLDER);
  const byId = ids[a]! > ids[b]! ? -1 : 1;
  return (
    byRole ||
    optedOut[a]! - optedOut[b]! ||
    priority[a]! - priority[b]! ||
    startedAt[b]! - startedAt[a]! ||
    byId
  );
}

it('is that of the rules', () => {
  fc.assert(
    fc.property(crowdedInQueueCase, ({ snapshot: input }) => {
      const snapshot = queueSnapshotOf(readSnapshot(input));
      const { firstAllocation, count } = snapshot.queues;
      for (let q = 0; q < count; q++) {
        const list = numbersTo(firstAllocation[q + 1]!, firstAllocation[q]!);
        const byRules = [...list].sort((a, b) => compare(snapshot, a, b));
        new CandidateOrder(snapshot).sort(list);
        expect([...list]).toEqual(byRules);
      }
    }),
    { numRuns: 100 },
  );
});
