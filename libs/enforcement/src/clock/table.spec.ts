import { describe, expect, it } from '@jest/globals';
import type { Resources } from '#contracts';
import { type Row, rowOf } from './table.js';

const values = (max: Resources | null, delaySeconds: number) => ({ max, delayMs: delaySeconds * 1000 });
const m90 = { memory: 90 };

describe('the table of saved changes', () => {
  it.each<[string, Resources | null, number, Resources | null, number, Row]>([
    ['new delay 0', m90, 60, { memory: 30 }, 0, 'b'],
    ['new delay 0 goes before no max', m90, 60, null, 0, 'b'],
    ['max removed', m90, 60, null, 60, 'c'],
    ['max without types', m90, 60, {}, 60, 'c'],
    ['max without types goes before a new delay', null, 60, {}, 90, 'c'],
    ['nothing changed', m90, 60, { memory: 90 }, 60, 'd'],
    ['longer delay', m90, 60, m90, 120, 'e'],
    ['shorter delay', m90, 60, m90, 30, 'e'],
    ['delay set for the first time', m90, 0, m90, 60, 'e'],
    ['lowered', m90, 60, { memory: 30 }, 60, 'f'],
    ['lowered by one', m90, 60, { memory: 89 }, 60, 'f'],
    ['lowered to 0', m90, 60, { memory: 0 }, 60, 'f'],
    ['first max of all', null, 60, m90, 60, 'f'],
    ['first configuration of all', null, 0, m90, 60, 'f'],
    ['a type limited for the first time', m90, 60, { memory: 90, vcore: 1 }, 60, 'f'],
    ['a type limited to 0 for the first time', m90, 60, { memory: 90, vcore: 0 }, 60, 'f'],
    ['a type limited for the first time while another goes up', m90, 60, { memory: 95, vcore: 1 }, 60, 'f'],
    ['one up and one down', { memory: 9, vcore: 9 }, 60, { memory: 99, vcore: 8 }, 60, 'f'],
    ['lowered with another delay', m90, 60, { memory: 30 }, 10, 'f'],
    ['other types than before', m90, 60, { vcore: 100 }, 60, 'f'],
    ['raised', m90, 60, { memory: 95 }, 60, 'g'],
    ['raised with another delay', m90, 60, { memory: 95 }, 10, 'g'],
    ['raised with the first delay', m90, 0, { memory: 95 }, 10, 'g'],
    ['raised from 0', { memory: 0 }, 60, { memory: 1 }, 60, 'g'],
    ['a type no longer limited', { memory: 90, vcore: 9 }, 60, m90, 60, 'g'],
    [
      'a type called like a method of objects',
      { toString: 9 } as never,
      60,
      { toString: 8 } as never,
      60,
      'f',
    ],
    ['such a type for the first time', m90, 60, { memory: 90, constructor: 8 } as never, 60, 'f'],
  ])('%s', (_case, oldMax, oldDelay, newMax, newDelay, row) => {
    expect(rowOf(values(oldMax, oldDelay), values(newMax, newDelay))).toBe(row);
  });
});
