import { InputError } from '@curtail/contracts';
import { plan, planInput, readSnapshot, readTrigger } from '@curtail/planning';
import { describe, expect, it } from '@jest/globals';

function pathOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof InputError) return error.path;
    throw error;
  }
  return 'no error';
}

describe('a trigger', () => {
  const good = { policy: 'quota-decrease', queue: 'root' };
  it.each([
    [{ ...good, previousMax: { memory: 'any' }, surprise: 1 }, 'no error'],
    [{ ...good, target: null }, 'no error'],
    [null, 'trigger'],
    [{ queue: 'root' }, 'trigger.policy'],
    [{ ...good, policy: 'quota-increase' }, 'trigger.policy'],
    [{ policy: 'intra-queue' }, 'no error'],
    [{ policy: 'intra-queue', queue: null }, 'no error'],
    [{ policy: 'intra-queue', queue: 3 }, 'trigger.queue'],
    [{ policy: 'fair-share' }, 'no error'],
    [{ policy: 'quota-decrease' }, 'trigger.queue'],
    [{ ...good, queue: '' }, 'trigger.queue'],
    [{ ...good, target: [] }, 'trigger.target'],
    [{ ...good, target: { memory: -1 } }, 'trigger.target.memory'],
    [{ ...good, target: { memory: 0.5 } }, 'trigger.target.memory'],
    [{ ...good, target: { memory: 2 ** 53 } }, 'trigger.target.memory'],
  ])('%j: %s', (trigger, path) => {
    expect(pathOf(() => readTrigger(trigger))).toBe(path);
  });
  it('is judged before the snapshot, which is read by the rules of its policy', () => {
    expect(pathOf(() => planInput({ snapshot: {}, trigger: { policy: 7 } }))).toBe('trigger.policy');
    expect(pathOf(() => planInput({ snapshot: {}, trigger: 'fair-share' }))).toBe('trigger');
  });

  it('for an unknown queue is refused', () => {
    const snapshot = readSnapshot({ queues: [{ path: 'root' }], applications: [], allocations: [] });
    expect(pathOf(() => plan(snapshot, good))).toBe('no error');
    expect(pathOf(() => plan(snapshot, { ...good, queue: 'root.a' }))).toBe('trigger.queue');
  });
});
