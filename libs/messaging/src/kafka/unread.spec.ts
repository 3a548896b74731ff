import { describe, expect, it } from '@jest/globals';
import type { AppliedOffset } from '../applied-offsets.js';
import { type Ends, isAllApplied, unreadOf } from './topic-ends.js';

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

describe('the unread messages of a topic', () => {
  it('are none if every partition is applied up to its end, and an empty one needs no mark', () => {
    const unread = unreadOf(ends([0, 5], [3, 3], [0, 0]), applied(5, 3));
    expect(unread).toEqual({ behind: [], missing: [], gapAt: null });
    expect(isAllApplied(unread)).toBe(true);
  });

  it('are those of one lagging partition, however far the others are', () => {
    const unread = unreadOf(ends([0, 5], [0, 9]), applied(5, 6));
    expect(unread.behind).toEqual([{ partition: 1, messages: 3 }]);
    expect(isAllApplied(unread)).toBe(false);
  });

  it('are all of a new partition that was not read yet', () => {
    expect(unreadOf(ends([0, 5], [0, 2]), applied(5)).behind).toEqual([{ partition: 1, messages: 2 }]);
  });

  it('are not known if a partition ends below the applied offset, or begins above it', () => {
    const unread = unreadOf(ends([0, 4], [7, 9], [7, 7]), applied(5, 6));
    expect(unread).toMatchObject({ behind: [], missing: [0, 1, 2] });
    expect(isAllApplied(unread)).toBe(false);
  });

  it('are none if more was applied meanwhile than existed when the end was read', () => {
    expect(unreadOf(ends([0, 4]), applied(5), applied(3))).toEqual({ behind: [], missing: [], gapAt: null });
  });

  it('include the latest gap', () => {
    const [earlier, later] = [new Date(1), new Date(2)];
    const known = new Map(
      [later, earlier].map((gapAt, partition) => [partition, { partition, nextOffset: 5n, gapAt }] as const),
    );
    expect(unreadOf(ends([0, 5], [0, 5]), known).gapAt).toEqual(later);
  });
});
