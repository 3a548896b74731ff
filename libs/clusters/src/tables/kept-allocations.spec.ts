import type { SnapshotAllocation } from '@curtail/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { merged } from './kept-allocations.js';

const versionOf = (id: string, priority: number) => ({ id, priority }) as SnapshotAllocation;

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
