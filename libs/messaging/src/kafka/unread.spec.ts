import { describe, expect, it } from '@jest/globals';
import type { AppliedOffset } from '../applied-offsets.js';
import type { Ends } from './start-of-reading.js';
import { isAllApplied, unreadOf } from './unread.js';

const ends = (...all: [low: number, high: number][]) =>
  new Map(
    all.map(([low, high], partition): [number, Ends] => [
      partition,
      { low: BigInt(low), high: BigInt(high) },
    ]),
  );
const applied = (...all: (number | undefined)[]) =>
  new Map(
    all.flatMap((next, partition): [number, AppliedOffset][] =>
      next === undefined ? [] : [[partition, { partition, nextOffset: BigInt(next), gapAt: null }]],
    ),
  );

describe('what is unread on a topic', () => {
  it('is nothing where every partition is applied up to its end, and an empty one needs no mark', () => {
    const unread = unreadOf(ends([0, 5], [3, 3], [0, 0]), applied(5, 3));
    expect(unread).toEqual({ behind: [], missing: [], gapAt: null });
    expect(isAllApplied(unread)).toBe(true);
  });

  it('is what one lagging partition has left, however far the others are', () => {
    const unread = unreadOf(ends([0, 5], [0, 9]), applied(5, 6));
    expect(unread.behind).toEqual([{ partition: 1, messages: 3 }]);
    expect(isAllApplied(unread)).toBe(false);
  });

  it('is all of a partition that was added and that no one has read yet', () => {
    expect(unreadOf(ends([0, 5], [0, 2]), applied(5)).behind).toEqual([{ partition: 1, messages: 2 }]);
  });

  it('is not known where a partition ends below what was applied, or begins above it', () => {
    const unread = unreadOf(ends([0, 4], [7, 9], [7, 7]), applied(5, 6));
    expect(unread).toMatchObject({ behind: [], missing: [0, 1, 2] });
    expect(isAllApplied(unread)).toBe(false);
  });

  it('is nothing where more was applied meanwhile than stood there when the end was asked for', () => {
    expect(unreadOf(ends([0, 4]), applied(5), applied(3))).toEqual({ behind: [], missing: [], gapAt: null });
  });

  it('has the latest gap', () => {
    const [earlier, later] = [new Date(1), new Date(2)];
    const known = new Map(
      [later, earlier].map((gapAt, partition) => [partition, { partition, nextOffset: 5n, gapAt }] as const),
    );
    expect(unreadOf(ends([0, 5], [0, 5]), known).gapAt).toEqual(later);
  });
});
