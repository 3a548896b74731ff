import { describe, expect, it } from '@jest/globals';
import { runsAtOnce } from './executor.service.js';

describe('runsAtOnce', () => {
  it.each([
    [4, 1],
    [5, 1],
    [12, 8],
    [20, 16],
    [200, 64],
    [undefined, 64],
  ])('of a pool of %p leaves connections to read over: %p', (pool, runs) => {
    expect(runsAtOnce(pool)).toBe(runs);
  });
});
