import { describe, expect, it } from '@jest/globals';
import { BackOff } from './back-off.js';

describe('the pause before a start', () => {
  it('doubles up to ten seconds', () => {
    const backOff = new BackOff();
    expect([1, 2, 3, 4, 5, 6, 7].map(() => backOff.next(100))).toEqual([
      500, 1000, 2000, 4000, 8000, 10_000, 10_000,
    ]);
  });

  it('is short again for what ran half a minute', () => {
    const backOff = new BackOff();
    backOff.next(100);
    backOff.next(29_999);
    expect(backOff.next(30_000)).toBe(500);
  });
});
