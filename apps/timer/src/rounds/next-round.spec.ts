import { describe, expect, it } from '@jest/globals';
import { nextRoundAt } from './next-round.js';

describe('the next round', () => {
  const at = (ms: number) => new Date(1_000_000 + ms);
  it.each([
    ['on time', 0, 300],
    ['a little late keeps the rhythm', 20, 300],
    ['a whole interval late', 300, 600],
    ['slept through: rounds are not made up for', 1000, 1200],
    ['woken early', -10, 300],
  ])('%s', (_, nowMs, nextMs) => {
    expect(nextRoundAt(at(0), at(nowMs), 300)).toEqual(at(nextMs));
  });
  it('after an interval that ends beyond the last date', () => {
    const last = new Date('9999-12-31T23:59:59.999Z');
    expect(nextRoundAt(at(0), at(0), Number.MAX_SAFE_INTEGER)).toEqual(last);
  });
});
