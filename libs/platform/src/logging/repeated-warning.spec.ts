import { describe, expect, it } from '@jest/globals';
import { RepeatedWarning } from './repeated-warning.js';

describe('a repeated warning', () => {
  it('is logged at most once per interval, with the number of suppressed ones', () => {
    const entries: unknown[][] = [];
    let now = 0;
    const log = { warn: (...words: unknown[]) => void entries.push(words) };
    const warning = new RepeatedWarning(log, 'A connection was lost.', 1000, () => now);
    const error = new Error('gone');
    for (now = 0; now <= 1000; now += 250) warning.warn(error, { pool: 'a' });
    expect(entries).toEqual([
      [{ pool: 'a', reason: 'gone' }, 'A connection was lost.'],
      [{ pool: 'a', reason: 'gone', suppressed: 3 }, 'A connection was lost.'],
    ]);
  });
});
