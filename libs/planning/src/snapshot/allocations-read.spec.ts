import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { firstRepeated } from './allocations-read.js';

it('a repeated id is found: the first that is there before', () => {
  const id = fc.oneof(
    fc.string({ maxLength: 2 }),
    fc.string(),
    fc.nat(10_000).map((i) => `pod-${i}`),
  );
  fc.assert(
    fc.property(fc.array(id, { maxLength: 300, size: 'max' }), fc.nat(), fc.integer(), (ids, most, seed) => {
      const count = Math.min(most, ids.length);
      const expected = ids.slice(0, count).findIndex((given, i) => ids.indexOf(given) < i);
      expect(firstRepeated(ids, count, seed)).toBe(expected);
    }),
  );
});

it('compares whole texts: these two have the same hash', () => {
  expect(firstRepeated(['pod-55590', 'pod-56372'], 2, 0)).toBe(-1);
  expect(firstRepeated(['pod-55590', 'pod-56372', 'pod-55590'], 3, 0)).toBe(2);
});
