import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { SnapshotAllocation } from '#contracts';
import { KeptAllocations, merged, mostKept, veryLarge } from './kept-allocations.js';
import { SharedParts } from './rows.js';

const versionOf = (id: string, priority: number) => ({ id, priority }) as SnapshotAllocation;

describe('the queues whose allocations are kept', () => {
  const keptOf = (...kept: [queue: string, count: number, isAhead: boolean][]) => {
    const known = new KeptAllocations();
    const none = { shared: new SharedParts(), before: '1', server: null, readBy: 0 };
    for (const [queue, length, isAhead] of kept)
      known.keep('p', queue, { ...none, allocations: { length } as SnapshotAllocation[] }, isAhead);
    return ['a', 'b', 'c', 'd'].filter((queue) => known.has('p', queue));
  };

  it('are the latest that fit, and one very large one beside them', () => {
    const large: [string, number, boolean][] = [
      ['a', veryLarge, false],
      ['b', veryLarge / 2, false],
      ['c', veryLarge / 2, true],
    ];
    expect(keptOf(...large)).toEqual(['b', 'c']);
    expect(keptOf(['d', mostKept, true], ...large)).toEqual(['b', 'c', 'd']);
    expect(keptOf(...large, ['d', mostKept, true])).toEqual(['b', 'c', 'd']);
    expect(keptOf(['a', mostKept, true], ['b', mostKept, true])).toEqual(['b']);
  });

  it('have no very large ones that were not read ahead, or are too large', () => {
    expect(keptOf(['a', veryLarge + 1, false])).toEqual([]);
    expect(keptOf(['a', veryLarge + 1, true], ['a', veryLarge + 2, false])).toEqual(['a']);
    expect(keptOf(['a', mostKept + 1, true])).toEqual([]);
    expect(keptOf(['a', mostKept, true], ['a', mostKept + 1, true])).toEqual([]);
  });
});

describe('allocations that were kept and have changed', () => {
  it('match the cluster after work started, ended and changed', () => {
    const rows = fc.dictionary(fc.constantFrom(...'abcdefghij'), fc.nat(2), { noNullPrototype: true });
    fc.assert(
      fc.property(rows, rows, (before, now) => {
        const inOrder = (of: Record<string, number>) =>
          Object.keys(of)
            .sort()
            .map((id) => versionOf(id, of[id]!));
        const all = inOrder(now);
        const changed = all.filter(({ id, priority }) => before[id] !== priority);
        const ids = all.map(({ id }) => id);
        expect(merged(ids, inOrder(before), changed)).toEqual(all);
      }),
    );
  });

  it('are not known where one of them is neither', () => {
    const kept = [versionOf('a', 1), versionOf('c', 1)];
    expect(merged(['a', 'b', 'c'], kept, [])).toBeUndefined();
    expect(merged(['a', 'd'], kept, [])).toBeUndefined();
  });

  it('are not known where two have one id', () => {
    const kept = [versionOf('a', 1), versionOf('a', 2)];
    expect(merged(['a', 'a'], kept, [versionOf('a', 3)])).toBeUndefined();
    expect(merged(['a', 'a'], kept, [])).toBeUndefined();
  });
});
