import { describe, expect, it } from '@jest/globals';
import { InputError } from '#contracts';
import { leafOf } from '../test/cluster.js';
import { planGiven } from './plan.js';
import { decidedPlanOf, planOf, planOrFault } from './plan-or-fault.js';

const snapshot = leafOf({ memory: 20 }, [{ id: 't1' }, { id: 't2' }, { id: 't3' }]);
const input = { snapshot, trigger: { policy: 'quota-decrease', queue: 'root.q' }, settings: {} };
/** As a message between threads is copied. */
const copied = (given: unknown) => structuredClone(planOrFault(given));

describe('a plan from another thread', () => {
  it('is the plan', () => {
    expect(planOf(copied(input))).toEqual(planGiven(input));
    expect(planOf(copied(input)).victims).toHaveLength(1);
  });

  it('names for each victim the rule that decided, without a change of the plan itself', () => {
    const decided = decidedPlanOf(copied(input));
    expect(decided.victims).toMatchObject([{ allocation: 't1', rule: expect.any(String) }]);
    expect(decided).toMatchObject({ ...planGiven(input), victims: planGiven(input).victims });
  });

  it('is the same error here for a fault of the input, with its place', () => {
    const faulty = { ...input, trigger: { policy: 'quota-decrease', queue: 'root.none' } };
    const here = caught(() => planGiven(faulty));
    expect(caught(() => planOf(copied(faulty)))).toEqual(here);
    expect(caught(() => decidedPlanOf(copied(faulty)))).toEqual(here);
    expect(here.path).not.toBe('');
  });

  it('is no plan and no fault where the program itself fails', () => {
    const failure = new TypeError('a defect');
    const broken = {
      get snapshot(): never {
        throw failure;
      },
    };
    expect(() => planOrFault(broken)).toThrow(failure);
  });
});

function caught(work: () => unknown): { path: string; message: string } {
  try {
    work();
  } catch (error) {
    if (error instanceof InputError) return { path: error.path, message: error.message };
    throw error;
  }
  throw new Error('nothing was thrown');
}
