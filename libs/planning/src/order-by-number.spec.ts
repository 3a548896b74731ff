import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { numberOrder, orderByNumber } from './order-by-number.js';

it('the order by number is from the smallest to the largest, of equal ones the smaller id first', () => {
  // Few numbers make long stretches of equal ones.
  const member = fc.record({ number: fc.oneof(fc.nat(2), fc.maxSafeNat()), id: fc.string() });
  fc.assert(
    fc.property(
      fc.uniqueArray(member, { selector: ({ id }) => id, maxLength: 300, size: 'max' }),
      (members) => {
        const numbers = Float64Array.from(members, ({ number }) =>
          Math.min(number, Number.MAX_SAFE_INTEGER - 1),
        );
        const ids = members.map(({ id }) => id);
        const byRules = [...ids.keys()].sort(
          (a, b) => numbers[a]! - numbers[b]! || (ids[a]! < ids[b]! ? -1 : 1),
        );
        expect([...orderByNumber(numberOrder(numbers, ids))]).toEqual(byRules);
      },
    ),
  );
});
