import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { denseNumbers } from './dense-numbers.js';

describe('dense numbers', () => {
  it('are in the order of the values, without gaps', () => {
    const { number, count } = denseNumbers(Float64Array.of(0, 5, -0, -100, 2_000_001_000, 5, 0.5, -100));
    expect(count).toBe(5);
    expect([...number]).toEqual([1, 3, 1, 0, 4, 3, 2, 0]);
  });
  it('are the same for 0 and -0, also among many values', () => {
    const values = Float64Array.from({ length: 40_000 }, (_, i) => i || -0);
    expect(denseNumbers(Float64Array.of(...values, 0)).count).toBe(40_000);
  });
  it('are those of a sort, also of many values', () => {
    const value = fc.oneof(
      fc.integer({ min: -9, max: 9 }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
    );
    fc.assert(
      fc.property(fc.array(value, { maxLength: 300, size: 'max' }), (values) => {
        const { number, count } = denseNumbers(Float64Array.from(values));
        const distinct = [...new Set(values.map((given) => given + 0))].sort((a, b) => a - b);
        expect(count).toBe(distinct.length);
        expect([...number]).toEqual(values.map((given) => distinct.indexOf(given + 0)));
      }),
    );
  });
});
