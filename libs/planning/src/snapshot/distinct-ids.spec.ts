import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DistinctIds } from './distinct-ids.js';

it('recognizes what was there before', () => {
  const id = fc.oneof(
    fc.string({ maxLength: 2 }),
    fc.string(),
    fc.nat(40).map((i) => `pod-${i}`),
  );
  fc.assert(
    fc.property(fc.array(id, { maxLength: 300, size: 'max' }), fc.integer(), (ids, seed) => {
      const distinct = new DistinctIds(ids.length, seed);
      const seen = new Set<string>();
      for (const given of ids) {
        expect(distinct.add(given)).toBe(!seen.has(given));
        seen.add(given);
      }
    }),
  );
});

it('compares whole texts: these two have the same hash', () => {
  const distinct = new DistinctIds(3, 0);
  expect(['pod-55590', 'pod-56372', 'pod-55590'].map((id) => distinct.add(id))).toEqual([true, true, false]);
});
