import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { firstRepeated, idHash } from './allocations-read.js';

it('a repeated id is found: the first that is there before', () => {
  const id = fc.oneof(
    fc.string({ maxLength: 2 }),
    fc.string(),
    fc.nat(10_000).map((i) => `pod-${i}`),
  );
  fc.assert(
    fc.property(
      fc.array(id, { maxLength: 300, size: 'max' }),
      fc.constantFrom(idHash, (given: string) => given.length % 2),
      (ids, hashOf) => {
        const expected = ids.findIndex((given, i) => ids.indexOf(given) < i);
        // With few hashes, whole texts have to be compared.
        expect(firstRepeated(ids, Int32Array.from(ids, hashOf))).toBe(expected);
      },
    ),
  );
});
