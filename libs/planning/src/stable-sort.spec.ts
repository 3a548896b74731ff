import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { StableSort } from './stable-sort.js';

const small = fc.integer({ min: 0, max: 5 });
const key = fc.oneof(small, fc.maxSafeNat(), fc.integer({ min: 2 ** 32 - 3, max: 2 ** 32 + 3 }));

it('sorts a part of a list by the numbers of its members, equal ones as they stood', () => {
  const sorter = new StableSort();
  fc.assert(
    fc.property(
      fc.oneof(fc.array(small, { maxLength: 40 }), fc.array(key, { maxLength: 3000, size: 'max' })),
      fc.nat(3),
      fc.integer(),
      (keys, cut, seed) => {
        const members = Int32Array.from(keys.keys()).sort(
          (a, b) => Math.imul(a + 1, seed) - Math.imul(b + 1, seed),
        );
        const from = Math.min(cut, keys.length);
        const to = Math.max(from, keys.length - cut);
        const part = [...members.subarray(from, to)].sort((a, b) => keys[a]! - keys[b]!);
        const expected = [...members.subarray(0, from), ...part, ...members.subarray(to)];
        sorter.sort(members, Float64Array.from(keys), Math.max(0, ...keys) + 1, from, to);
        expect([...members]).toEqual(expected);
      },
    ),
    { numRuns: 60 },
  );
});
