import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compareCandidates, type OrderKeys } from './order.js';
import { packOrder } from './packed-order.js';

const candidate = fc.record({
  distance: fc.integer({ min: 0, max: 3 }),
  role: fc.integer({ min: 0, max: 2 }),
  priority: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -(2 ** 31), max: 2 ** 31 })),
  optedOut: fc.integer({ min: 0, max: 1 }),
  startedAt: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 4e10 })),
});

function keysOf(candidates: unknown[]): Omit<OrderKeys, 'packed'> {
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

it('the packed order is the order of the rules', () => {
  let fitted = 0;
  fc.assert(
    fc.property(fc.array(candidate, { minLength: 2, maxLength: 6 }), (candidates) => {
      const keys = keysOf(candidates);
      const all = Int32Array.from(candidates, (_, i) => i);
      const packed = packOrder(keys, all);
      if (packed === null) return;
      fitted++;
      for (const a of all) {
        for (const b of all) {
          if (a === b) continue;
          const byRules = compareCandidates({ ...keys, packed: null }, a, b);
          expect(Math.sign(compareCandidates({ ...keys, packed }, a, b))).toBe(Math.sign(byRules));
        }
      }
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
  expect(pack({ priority: 0.5 })).toBeNull();
  expect(pack({ priority: 1e300 })).toBeNull();
  expect(pack({}, { nodes: { place: new Int32Array(2) } })).toBeNull();
});
