import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { KindTree } from './kind-tree.js';
import type { StartOrder } from './start-order.js';
import { StartQueue } from './start-queue.js';

const amount = fc.integer({ min: 0, max: 6 });
const ask = fc.record({ operation: fc.nat({ max: 15 }), kind: fc.nat() });
const turn = fc.record({
  free: fc.tuple(fc.integer({ min: -2, max: 7 }), amount),
  closed: fc.nat({ max: 3 }),
  /** The operation that moves, and where to. */
  operation: fc.nat({ max: 15 }),
  satisfaction: fc.constantFrom(0, 0.5, 1, 2),
  leaves: fc.boolean(),
});

it('the tree of kinds finds the first kind that fits, as a check of all of them does, while operations move and asks leave', () => {
  const cases = fc.record({
    sizes: fc.array(fc.tuple(amount, amount), { minLength: 1, maxLength: 60 }),
    asks: fc.array(ask, { minLength: 1, maxLength: 90 }),
    turns: fc.array(turn, { minLength: 1, maxLength: 40 }),
  });
  fc.assert(
    fc.property(cases, ({ sizes, asks, turns }) => {
      const kindOf = asks.map(({ kind }) => kind % sizes.length);
      // Asks are numbered by operation, as in a snapshot.
      const operationOf = Int32Array.from(asks, ({ operation }) => operation).sort();
      const satisfaction = new Float64Array(16);
      const order = {
        satisfaction,
        isBeforeWith: (mine: number, a: number, other: number, b: number) =>
          mine !== other ? mine < other : a < b,
      } as unknown as StartOrder;
      const [place, noted] = [new Int32Array(asks.length).fill(-1), new Float64Array(asks.length)];
      const queues = sizes.map((_, kind) => {
        const items = Int32Array.from(kindOf.keys()).filter((one) => kindOf[one] === kind);
        return new StartQueue(order, items, place, noted, (one) => operationOf[one]!);
      });
      const tree = new KindTree(order, queues, Float64Array.from(sizes.flat()), 2, operationOf);
      const waiting = new Set(kindOf.keys());
      for (const { free, closed, operation, satisfaction: now, leaves } of turns) {
        const allows = (kind: number) => kind % 4 !== closed;
        const fits = (kind: number) => sizes[kind]!.every((size, type) => size === 0 || size <= free[type]!);
        const inOrder = [...waiting].sort(
          (a, b) =>
            satisfaction[operationOf[a]!]! - satisfaction[operationOf[b]!]! ||
            operationOf[a]! - operationOf[b]! ||
            a - b,
        );
        const first = inOrder.find((one) => fits(kindOf[one]!) && allows(kindOf[one]!));
        const found = tree.firstIn({ free: Float64Array.from([9, 9, ...free]), row: 2, allows });
        expect(found).toBe(first === undefined ? -1 : kindOf[first]);
        if (found >= 0) expect(queues[found]!.top).toBe(first);
        if (found >= 0 && leaves) {
          waiting.delete(first!);
          queues[found]!.remove(first!);
          tree.changed(found);
        }
        satisfaction[operation] = now;
        operationOf.forEach((owner, one) => {
          if (owner !== operation) return;
          queues[kindOf[one]!]!.moved(one);
          tree.changed(kindOf[one]!);
        });
      }
    }),
    { numRuns: 300 },
  );
});
