import { describe, expect, it } from '@jest/globals';
import { pauseAfter } from './pause-after.js';

describe('pauseAfter', () => {
  it('doubles with each failure, up to the longest', () => {
    const pauses = { first: 5, longest: 30 };
    expect([1, 2, 3, 4, 5].map((failures) => pauseAfter(failures, pauses))).toEqual([5, 10, 20, 30, 30]);
  });

  it('stays the longest, however often it failed', () => {
    expect(pauseAfter(5000, { first: 1, longest: 1000 })).toBe(1000);
  });
});
