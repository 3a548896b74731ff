import { describe, expect, it } from '@jest/globals';
import type { Resources } from '#contracts';
import { shiftStep } from './judge.js';

const values = (max: Resources | null, delaySeconds: number) => ({ max, delayMs: delaySeconds * 1000 });
const over = { memory: 80 };
const m30 = { memory: 30 };
const m90 = { memory: 90 };

describe('the policy shift', () => {
  describe('has nothing pending', () => {
    it.each<[string, Resources | null, number, Resources, string]>([
      ['with delay 0', m30, 0, over, 'delay-zero'],
      ['without max', null, 60, over, 'max-removed'],
      ['with a max of nothing but 0', { memory: 0, vcore: 0 }, 60, over, 'max-removed'],
      ['when usage is within', m90, 60, over, 'within-quota'],
      ['when usage is exactly the max', { memory: 80 }, 60, over, 'within-quota'],
      ['when usage and max have no type in common', { vcore: 1 }, 60, over, 'within-quota'],
      ['without any usage and with every max above 0', { memory: 1, vcore: 1 }, 60, {}, 'within-quota'],
      ['with a usage of zeros, which is no usage', { memory: 1 }, 60, { memory: 0 }, 'within-quota'],
    ])('%s', (_case, max, delay, usage, cause) => {
      for (const pending of [true, false]) {
        expect(shiftStep(values(m90, 60), values(max, delay), usage, pending)).toEqual({
          kind: 'cancel',
          cause,
        });
      }
    });

    it('but is not within without usage when some max is 0', () => {
      const max = { memory: 0, vcore: 5 };
      expect(shiftStep(values({ memory: 9, vcore: 9 }, 60), values(max, 60), {}, false).kind).toBe('start');
    });

    it('judges only the types that usage and max have', () => {
      const max = { memory: 90, vcore: 0 };
      expect(shiftStep(values(max, 60), values(max, 60), over, true).kind).toBe('cancel');
      expect(shiftStep(values(max, 60), values(max, 60), { ...over, vcore: 1 }, true).kind).toBe('move');
    });
  });

  describe('when nothing is pending', () => {
    it.each<[string, Resources | null, number, Resources | null, number, string]>([
      ['starts when the max goes down', m90, 60, m30, 60, 'start'],
      ['starts when the max stays and the delay was 0', m30, 0, m30, 60, 'start'],
      ['does nothing when the max stays and the delay was not 0', m30, 60, m30, 90, 'none'],
      ['does nothing for the first max of all', null, 60, m30, 60, 'none'],
      [
        'does nothing when one goes up and one down',
        { memory: 9, vcore: 9 },
        60,
        { memory: 10, vcore: 8 },
        60,
        'none',
      ],
      ['does nothing when the max goes up', { memory: 20 }, 60, m30, 60, 'none'],
      ['starts when another type is no longer limited', { memory: 30, vcore: 5 }, 60, m30, 60, 'start'],
      ['sees no change where a limit of 0 comes or goes', { memory: 30, vcore: 0 }, 60, m30, 60, 'none'],
    ])('%s', (_case, oldMax, oldDelay, newMax, newDelay, kind) => {
      expect(shiftStep(values(oldMax, oldDelay), values(newMax, newDelay), over, false).kind).toBe(kind);
    });
  });

  describe('when something is pending', () => {
    it.each<[string, Resources | null, number, Resources | null, number, number | 'none']>([
      ['moves by the longer delay', m30, 60, m30, 90, 30_000],
      ['moves by the shorter delay', m30, 60, m30, 10, -50_000],
      ['moves by nothing when only the max goes down', m90, 60, m30, 60, 0],
      ['moves when the max goes up, still exceeded', { memory: 20 }, 60, m30, 70, 10_000],
      [
        'stays when one goes up and one down',
        { memory: 9, vcore: 9 },
        60,
        { memory: 10, vcore: 8 },
        90,
        'none',
      ],
    ])('%s', (_case, oldMax, oldDelay, newMax, newDelay, byMs) => {
      const step = shiftStep(values(oldMax, oldDelay), values(newMax, newDelay), over, true);
      expect(step).toMatchObject(byMs === 'none' ? { kind: 'none' } : { kind: 'move', byMs });
    });
  });
});
