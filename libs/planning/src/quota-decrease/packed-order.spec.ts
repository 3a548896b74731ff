import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compareCandidates, type OrderKeys } from './order.js';
import { packOrder, sortPacked } from './packed-order.js';
import { sortCandidates } from './sort.js';

const candidate = fc.record({
  distance: fc.integer({ min: 0, max: 3 }),
  role: fc.integer({ min: 0, max: 2 }),
  priority: fc.oneof(
    fc.integer({ min: -3, max: 3 }),
    fc.constantFrom(-1e300, 0.5, 2_000_000_000, 2_000_001_000),
  ),
  optedOut: fc.integer({ min: 0, max: 1 }),
  startedAt: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 4e10 })),
});

function keysOf(candidates: unknown[]): OrderKeys {
  const list = candidates as {
    distance: number;
    role: number;
    priority: number;
    optedOut: number;
    startedAt: number;
  }[];
  return {
    distance: Int32Array.from(list, (c) => c.distance),
    role: Uint8Array.from(list, (c) => c.role),
    priority: Float64Array.from(list, (c) => c.priority),
    optedOut: Uint8Array.from(list, (c) => c.optedOut),
    startedAt: Float64Array.from(list, (c) => c.startedAt),
    ids: list.map((_, i) => `id${i}`),
    nodes: null,
  };
}

it('sorts by rank as by the rules', () => {
  let fitted = 0;
  fc.assert(
    fc.property(fc.array(candidate, { minLength: 1, maxLength: 40 }), fc.nat(3), (candidates, from) => {
      const keys = keysOf(candidates);
      const byRules = Int32Array.from(candidates, (_, i) => i);
      const byRank = byRules.slice();
      const scratch = new Int32Array(candidates.length);
      const start = Math.min(from, candidates.length);
      const packed = packOrder(keys, byRules);
      if (packed === null) return;
      sortPacked(packed, keys, byRank, start, candidates.length, scratch);
      fitted++;
      sortCandidates(keys, byRules, start, candidates.length, scratch);
      expect([...byRank]).toEqual([...byRules]);
      const plainly = [...byRules.subarray(start)].sort((a, b) => compareCandidates(keys, a, b));
      expect([...byRules.subarray(start)]).toEqual(plainly);
    }),
    { numRuns: 500 },
  );
  expect(fitted).toBeGreaterThan(50);
});

it('is not packed where it would not be exact, or where nodes have a say', () => {
  const one = { distance: 0, role: 1, priority: 0, optedOut: 0, startedAt: 0 };
  const pack = (other: object, more = {}) =>
    packOrder({ ...keysOf([one, { ...one, ...other }]), ...more }, Int32Array.of(0, 1));
  expect(pack({ startedAt: 1e15 })).not.toBeNull();
  expect(pack({ startedAt: 2e15 })).toBeNull();
  expect(pack({ startedAt: 1e15, priority: 1e300 })).toBeNull();
  expect(pack({ priority: 1e300 })).not.toBeNull();
  expect(pack({}, { nodes: { place: new Int32Array(2) } })).toBeNull();
});
