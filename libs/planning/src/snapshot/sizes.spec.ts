import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Sizes } from './sizes.js';

it('a set of sizes gives equal entries one number, and keeps the entries of each', () => {
  const amount = fc.oneof(fc.integer({ min: 1, max: 3 }), fc.constantFrom(2 ** 32 + 1, 2 ** 53 - 1));
  const size = fc.array(fc.tuple(fc.nat(2), amount), { maxLength: 3 });
  fc.assert(
    fc.property(fc.array(size, { maxLength: 2000, size: 'max' }), (given) => {
      const sizes = new Sizes();
      const numbers = given.map((entries) => {
        for (const [type, of] of entries) sizes.add(type, of);
        return sizes.close();
      });
      const known = [...new Set(given.map((entries) => JSON.stringify(entries)))];
      expect(numbers).toEqual(given.map((entries) => known.indexOf(JSON.stringify(entries))));
      expect(sizes.count).toBe(known.length);
      const kept = known.map((_, s) => {
        const places = [...Array(sizes.firstEntry[s + 1]! - sizes.firstEntry[s]!).keys()];
        const at = (place: number) => sizes.firstEntry[s]! + place;
        return JSON.stringify(
          places.map((place) => [sizes.entryType[at(place)], sizes.entryAmount[at(place)]]),
        );
      });
      expect(kept).toEqual(known);
    }),
    { numRuns: 30 },
  );
});

it('a set of sizes has room for more of them and more entries than it began with', () => {
  const sizes = new Sizes();
  for (let s = 0; s < 4000; s++) {
    sizes.add(0, (s % 2000) + 1);
    expect(sizes.close()).toBe(s % 2000);
  }
  expect(sizes.entryAmount[sizes.firstEntry[1999]!]).toBe(2000);
});
