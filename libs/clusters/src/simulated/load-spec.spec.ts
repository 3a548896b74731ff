import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { InputError } from '#contracts';
import { RefusedInput } from '#platform';
import { GeneratedWork } from './generate.js';
import { type LoadSpec, readLoadSpec, readPartition } from './load-spec.js';
import type { SimulatedAllocation } from './place.js';

const fieldsOf = (read: () => unknown): string[] => {
  try {
    read();
  } catch (error) {
    if (error instanceof InputError) return [error.path];
    if (error instanceof RefusedInput) return error.errors.map(({ path }) => path);
    throw error;
  }
  throw new Error('accepted');
};

describe('the specification of a load', () => {
  it('has defaults for all but queues and allocations', () => {
    expect(readLoadSpec({ queues: 10, allocations: 1000 })).toMatchObject({
      under: 'root.load',
      applications: 50,
      nodes: 20,
      seed: 1,
    });
  });

  it.each([
    ['queues', { queues: 0, allocations: 1 }],
    ['queues', { queues: 1.5, allocations: 1 }],
    ['queues', { queues: 100_001, allocations: 1 }],
    ['allocations', { queues: 1, allocations: -1 }],
    ['allocations', { queues: 1, allocations: 2_000_001 }],
    ['applications', { queues: 10, allocations: 1, applications: 9 }],
    ['under', { queues: 1, allocations: 1, under: 'root' }],
    ['under', { queues: 1, allocations: 1, under: 'research' }],
    ['under', { queues: 1, allocations: 1, under: 'root..x' }],
    ['resources[0].memory', { queues: 1, allocations: 1, resources: [{ memory: 0.5 }] }],
    ['daemonsPercent', { queues: 1, allocations: 1, daemonsPercent: 101 }],
    ['seed', { queues: 1, allocations: 1, seed: -1 }],
    ['refusingPercent', { queues: 1, allocations: 1, refusingPercent: 101 }],
    ['refuses', { queues: 1, allocations: 1, refuses: 0 }],
    ['refuses', { queues: 1, allocations: 1, refuses: 'sometimes' }],
    ['leavesAfterSeconds', { queues: 1, allocations: 1, leavesAfterSeconds: { from: 9, to: 3 } }],
    ['leavesAfterSeconds', { queues: 1, allocations: 1, leavesAfterSeconds: -1 }],
    ['taskPriorities[1]', { queues: 1, allocations: 1, taskPriorities: [1, 0.5] }],
  ])('is refused with the field %s', (field, spec) => {
    expect(fieldsOf(() => readLoadSpec(spec))).toEqual([field]);
  });

  it('is refused with all of its faults', () => {
    expect(fieldsOf(() => readLoadSpec({ queues: 0, allocations: -1 }))).toEqual(['queues', 'allocations']);
  });

  it('is refused with an unknown field or as no object at all', () => {
    expect(fieldsOf(() => readLoadSpec({ queues: 1, allocations: 1, quues: 2 }))).toEqual(['quues']);
    expect(() => readLoadSpec({ queues: 1, allocations: 1, quues: 2 })).toThrow(/did you mean queues/);
    expect(() => readLoadSpec(undefined)).toThrow(RefusedInput);
  });

  it('needs a partition that can stand in an address', () => {
    expect(readPartition('default')).toBe('default');
    expect(readPartition('Default')).toBe('default');
    expect(fieldsOf(() => readPartition('a/b'))).toEqual(['partition']);
  });
});

describe('generated work', () => {
  const now = new Date('2026-11-21T10:00:00Z');
  const allocations = (spec: LoadSpec) => {
    const checked = readLoadSpec(spec);
    const work = new GeneratedWork(checked, now);
    return Array.from({ length: checked.allocations }, (_, index) => work.allocation(index));
  };

  it('is the same for the same seed and another for another', () => {
    const spec = { queues: 5, allocations: 200, seed: 7 };
    expect(allocations(spec)).toEqual(allocations(spec));
    expect(allocations(spec)).not.toEqual(allocations({ ...spec, seed: 8 }));
  });

  it('has as many leaves as asked for, at the depth asked for, with one originator an application', () => {
    const found = allocations({ queues: 60, allocations: 600, applications: 120, depth: 3 });
    const queues = new Set(found.map((allocation) => allocation.queue));
    expect(queues.size).toBe(60);
    expect([...queues].every((queue) => queue.split('.').length === 5)).toBe(true);
    const originators = found.filter((allocation) => allocation.role === 'originator');
    expect(new Set(originators.map((allocation) => allocation.application)).size).toBe(120);
    expect(originators).toHaveLength(120);
  });

  it('has daemons in about the share asked for, and starts within the hours asked for', () => {
    const found = allocations({
      queues: 1,
      allocations: 10_000,
      originators: false,
      daemonsPercent: 10,
      startedWithinHours: 2,
    });
    const daemons = found.filter((allocation) => allocation.role === 'daemon').length;
    expect(daemons).toBeGreaterThan(800);
    expect(daemons).toBeLessThan(1200);
    const started = found.map((allocation) => Date.parse(allocation.startedAt));
    expect(Math.min(...started)).toBeGreaterThanOrEqual(now.getTime() - 2 * 3_600_000);
    expect(Math.max(...started)).toBeLessThanOrEqual(now.getTime());
  });

  it('behaves the same for the same seed, and is otherwise the work that it would be without', () => {
    fc.assert(
      fc.property(
        fc.record({
          seed: fc.nat(),
          taskPriorities: fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 1, maxLength: 5 }),
          unwillingPercent: fc.integer({ min: 0, max: 100 }),
          refusingPercent: fc.integer({ min: 0, max: 100 }),
          slowPercent: fc.integer({ min: 0, max: 100 }),
          refuses: fc.oneof(fc.constant('always' as const), fc.integer({ min: 1, max: 9 })),
        }),
        (behaving) => {
          const plain = { queues: 2, allocations: 60, seed: behaving.seed };
          const spec = { ...plain, ...behaving, leavesAfterSeconds: { from: 20, to: 60 } };
          const found = allocations(spec);
          expect(allocations(spec)).toEqual(found);
          const same = ({ behavior: _, priority: __, allowPreemption: ___, ...rest }: SimulatedAllocation) =>
            rest;
          expect(found.map(same)).toEqual(allocations(plain).map(same));
          for (const { behavior, priority } of found) {
            expect(behaving.taskPriorities).toContain(priority);
            expect([undefined, behaving.refuses]).toContain(behavior?.refuses);
            const leaves = behavior?.leavesAfterSeconds ?? 20;
            expect(leaves >= 20 && leaves <= 60).toBe(true);
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  it('refuses, leaves slowly and is unwilling in about the shares asked for', () => {
    const found = allocations({
      ...{ queues: 1, allocations: 10_000, unwillingPercent: 30 },
      ...{ refusingPercent: 10, refuses: 'always', slowPercent: 20, leavesAfterSeconds: 45 },
    });
    const percent = (is: (one: SimulatedAllocation) => boolean) => found.filter(is).length / 100;
    expect(percent(({ allowPreemption }) => allowPreemption === false)).toBeCloseTo(30, -0.5);
    expect(percent(({ behavior }) => behavior?.refuses === 'always')).toBeCloseTo(10, -0.5);
    expect(percent(({ behavior }) => behavior?.leavesAfterSeconds === 45)).toBeCloseTo(20, -0.5);
  });

  it('has an uid of its own for each allocation', () => {
    const uids = allocations({ queues: 1, allocations: 5000 }).map((allocation) => allocation.uid);
    expect(new Set(uids).size).toBe(5000);
    expect(uids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
