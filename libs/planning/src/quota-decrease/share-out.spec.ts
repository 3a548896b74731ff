import { describe, expect, it } from '@jest/globals';
import { type Sharer, shareOut } from './share-out.js';

const sharers = (...pairs: [releasable: number, room: number][]): Sharer[] =>
  pairs.map(([releasable, room], queue) => ({ queue, releasable, room, part: 0, cutFrom: null }));
const parts = (amount: number, ...pairs: [number, number][]): number[] => {
  const shared = sharers(...pairs);
  shareOut(amount, shared);
  return shared.map((sharer) => sharer.part);
};

describe('sharing out', () => {
  it('is in proportion to what is releasable', () => {
    expect(parts(20, [30, 30], [10, 10])).toEqual([15, 5]);
  });
  it('gives the units left over to the largest fractions, ties by name', () => {
    expect(parts(4, [2, 2], [2, 2], [2, 2])).toEqual([2, 1, 1]);
    // Quotas 1.2, 3.6, 1.2
    expect(parts(6, [2, 2], [6, 6], [2, 2])).toEqual([1, 4, 1]);
    // Quotas 1.5, 4.5, 0.5, 0.5: two units over, four equal fractions.
    expect(parts(7, [3, 3], [9, 9], [1, 1], [1, 1])).toEqual([2, 5, 0, 0]);
  });
  it('gives who has less room than its quota all its room, and the rest to the others, again and again', () => {
    const shared = sharers([10, 1], [10, 4], [10, 10]);
    shareOut(11, shared);
    expect(shared.map((sharer) => sharer.part)).toEqual([1, 4, 6]);
    expect(shared.map((sharer) => sharer.cutFrom)).toEqual([3, 5, null]);
  });
  it('does not count a quota equal to the room as cut', () => {
    const shared = sharers([10, 5], [10, 10]);
    shareOut(10, shared);
    expect(shared.map(({ part, cutFrom }) => [part, cutFrom])).toEqual([
      [5, null],
      [5, null],
    ]);
  });
  it('stops at all the room', () => {
    expect(parts(100, [10, 3], [20, 20])).toEqual([3, 20]);
    expect(parts(5)).toEqual([]);
  });
  it('is exact where products pass 2^53', () => {
    const most = Number.MAX_SAFE_INTEGER;
    const half = (most - 1) / 2;
    expect(parts(most - 2, [half, half], [half + 1, half + 1])).toEqual([half - 1, half]);
    // The first quota is above the room by a part in 10^31, which only big integers see.
    const shared = sharers([most - 1, most - 2], [1, 1]);
    shareOut(most - 1, shared);
    expect(shared.map(({ part, cutFrom }) => [part, cutFrom])).toEqual([
      [most - 2, most - 2],
      [1, null],
    ]);
    // Two quotas of 10^15 / 2 and a bit: floats would see them equal.
    expect(parts(1e15 + 1, [3e15 + 1, 3e15 + 1], [3e15, 3e15])).toEqual([5e14 + 1, 5e14]);
    expect(parts(1e15 + 1, [3e15, 3e15], [3e15 + 1, 3e15 + 1])).toEqual([5e14, 5e14 + 1]);
  });
});
