import { describe, expect, it } from '@jest/globals';
import { startOfReading } from './topic-ends.js';

const ends = { low: 10n, high: 50n };

describe('the offset from which a group reads a partition', () => {
  it.each([
    ['is as it is known, where that lies between both ends', 30n, 30n, ends, undefined],
    ['is as it is known, where the commit comes later than the effects', 30n, 20n, ends, undefined],
    ['is as it is known, where nothing is committed yet', 30n, undefined, ends, undefined],
    ['is the end of an empty partition', 50n, 50n, { low: 50n, high: 50n }, undefined],
    [
      'is the commit of a version that kept no places',
      undefined,
      30n,
      ends,
      { nextOffset: 30n, isGap: false },
    ],
    [
      'is the first offset of a new topic',
      undefined,
      undefined,
      { low: 0n, high: 5n },
      { nextOffset: 0n, isGap: false },
    ],
    [
      'has a gap where a new group finds old messages deleted',
      undefined,
      undefined,
      ends,
      { nextOffset: 10n, isGap: true },
    ],
    [
      'has a gap where messages were deleted before they were read',
      5n,
      5n,
      ends,
      { nextOffset: 10n, isGap: true },
    ],
    [
      'has a gap where all of them were deleted',
      5n,
      5n,
      { low: 50n, high: 50n },
      { nextOffset: 50n, isGap: true },
    ],
    ['has a gap where the group was moved ahead', 30n, 40n, ends, { nextOffset: 40n, isGap: true }],
    [
      'has a gap where the topic was made again',
      60n,
      undefined,
      { low: 0n, high: 50n },
      { nextOffset: 0n, isGap: true },
    ],
    [
      'has a gap where the commit lies behind the end',
      undefined,
      60n,
      ends,
      { nextOffset: 10n, isGap: true },
    ],
  ] as const)('%s', (_, known, committed, at, expected) => {
    expect(startOfReading(known, committed, at)).toEqual(expected);
  });
});
