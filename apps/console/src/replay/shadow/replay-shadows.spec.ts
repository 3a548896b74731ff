import { describe, expect, it } from '@jest/globals';
import type { Plan } from '#contracts';
import { differenceOf } from './replay-shadows.js';

const run = { enforcement: 'e-1', queue: 'root.a' };
const planOf = (outcome: Plan['outcome'], ...victims: [allocation: string, memory: number][]): Plan =>
  ({
    outcome,
    victims: victims.map(([allocation, memory]) => ({ allocation, resources: { memory } })),
  }) as unknown as Plan;

describe('the difference of two plans', () => {
  it('is none if they take the same victims, in whatever order, and come to the same', () => {
    const plan = planOf('satisfied', ['a', 1], ['b', 2]);
    expect(differenceOf(run, plan, planOf('satisfied', ['b', 2], ['a', 1]))).toBeUndefined();
  });

  it('names who is added and removed, and what that frees more or less', () => {
    const recorded = planOf('satisfied', ['a', 1], ['b', 2]);
    expect(differenceOf(run, recorded, planOf('best-effort', ['b', 2], ['c', 8], ['d', 1]))).toEqual({
      ...run,
      outcome: 'satisfied',
      shadowOutcome: 'best-effort',
      victims: 2,
      shadowVictims: 3,
      added: 2,
      removed: 1,
      addedFirst: ['c', 'd'],
      removedFirst: ['a'],
      freedDifference: { memory: 8 },
    });
  });

  it('is one also if only the outcome is another', () => {
    expect(differenceOf(run, planOf('satisfied'), planOf('impossible'))).toMatchObject({
      added: 0,
      removed: 0,
      freedDifference: {},
    });
  });
});
