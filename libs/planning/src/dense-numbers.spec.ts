import { describe, expect, it } from '@jest/globals';
import { DenseNumbers } from './dense-numbers.js';

describe('dense numbers', () => {
  it('are in the order of the values, without gaps', () => {
    const values = [5, -100, 2_000_001_000, 5, 0.5, -100];
    const dense = new DenseNumbers(values, [...values.keys()]);
    expect(dense.count).toBe(4);
    expect(values.map((value) => dense.of(value))).toEqual([2, 0, 3, 2, 1, 0]);
  });
});
