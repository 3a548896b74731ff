import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compareProducts, divideProduct } from './exact-product.js';

it.each([
  [2 ** 53 - 1, 2 ** 53 - 1, 2 ** 53 - 2, 2 ** 53, 1],
  [2 ** 53 - 2, 2 ** 53, 2 ** 53 - 1, 2 ** 53 - 1, -1],
  [3 * 2 ** 40, 5 * 2 ** 30, 5 * 2 ** 40, 3 * 2 ** 30, 0],
  [-(2 ** 53 - 1), 2 ** 53 - 1, -(2 ** 53 - 2), 2 ** 53, -1],
])('%d × %d beside %d × %d', (a, b, c, d, sign) => {
  expect(Math.sign(compareProducts(a, b, c, d))).toBe(sign);
});

it('compares as big integers do, also where the rounded products are equal', () => {
  const whole = fc.maxSafeInteger();
  const near = fc.integer({ min: -2, max: 2 });
  fc.assert(
    fc.property(whole, whole, near, near, (a, b, more, less) => {
      const [c, d] = [a + more, b + less];
      if (!Number.isSafeInteger(c) || !Number.isSafeInteger(d)) return;
      const exact = BigInt(a) * BigInt(b) - BigInt(c) * BigInt(d);
      expect(Math.sign(compareProducts(a, b, c, d))).toBe(exact > 0n ? 1 : exact < 0n ? -1 : 0);
    }),
    { numRuns: 1000 },
  );
});

it('divides as big integers do', () => {
  const whole = fc.oneof(fc.maxSafeNat(), fc.integer({ min: 1, max: 1000 }));
  fc.assert(
    fc.property(whole, whole, whole, (a, one, other) => {
      const [b, c] = [Math.min(one, other), Math.max(one, other, 1)];
      const { quotient, remainder } = divideProduct(a, b, c);
      const exact = BigInt(a) * BigInt(b);
      expect([BigInt(quotient), BigInt(remainder)]).toEqual([exact / BigInt(c), exact % BigInt(c)]);
    }),
    { numRuns: 1000 },
  );
});
