import { describe, expect, it } from '@jest/globals';
import { sameAmounts } from './amounts.js';

describe('sameAmounts', () => {
  it.each([
    [null, {}, true],
    [null, null, true],
    [{ memory: 0 }, null, false],
    [{ memory: 0 }, {}, false],
    [{ memory: 1 }, { vcore: 1 }, false],
    [{ memory: 1 }, { memory: 1, vcore: 0 }, false],
    [{ memory: 1, vcore: 2 }, { vcore: 2, memory: 1 }, true],
  ])('of %j and %j is %j, both ways', (a, b, same) => {
    expect(sameAmounts(a, b)).toBe(same);
    expect(sameAmounts(b, a)).toBe(same);
  });
});
