import { describe, expect, it } from '@jest/globals';
import { LimitedErrors } from './limited-errors.js';

describe('errors that others can cause', () => {
  it('are logged up to a limit, and those left out are counted in the next interval', () => {
    const lines: unknown[][] = [];
    let now = 0;
    const log = { error: (...line: unknown[]) => lines.push(line) };
    const errors = new LimitedErrors(log as never, { most: 2, everyMs: 1000 }, () => now);
    for (let i = 1; i <= 5; i++) errors.error({ i }, 'bad');
    now = 999;
    errors.error({ i: 6 }, 'bad');
    expect(lines).toEqual([
      [{ i: 1 }, 'bad'],
      [{ i: 2 }, 'bad'],
    ]);
    now = 1000;
    errors.error({ i: 7 }, 'bad');
    errors.error({ i: 8 }, 'bad');
    expect(lines.slice(2)).toEqual([
      [{ i: 7, suppressed: 4 }, 'bad'],
      [{ i: 8 }, 'bad'],
    ]);
  });
});
