import { InputError } from '@curtail/contracts';
import { describe, expect, it } from '@jest/globals';
import { GeneratedWork } from './generate.js';
import { type LoadSpec, readLoadSpec, readPartition } from './load-spec.js';

const fieldOf = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    if (error instanceof InputError) return error.path;
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
  ])('is refused with the field %s', (field, spec) => {
    expect(fieldOf(() => readLoadSpec(spec))).toBe(field);
  });

  it('is refused with an unknown field or as no object at all', () => {
    expect(fieldOf(() => readLoadSpec({ queues: 1, allocations: 1, quues: 2 }))).toBe('quues');
    expect(() => readLoadSpec({ queues: 1, allocations: 1, quues: 2 })).toThrow(
      /known are under, queues, depth/,
    );
    expect(() => readLoadSpec(undefined)).toThrow(InputError);
  });

  it('needs a partition that can stand in an address', () => {
    expect(readPartition('default')).toBe('default');
    expect(fieldOf(() => readPartition('a/b'))).toBe('partition');
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

  it('has an uid of its own for each allocation', () => {
    const uids = allocations({ queues: 1, allocations: 5000 }).map((allocation) => allocation.uid);
    expect(new Set(uids).size).toBe(5000);
    expect(uids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
