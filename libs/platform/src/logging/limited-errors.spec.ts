import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { LimitedErrors } from './repeated-warning.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('errors that others can cause', () => {
  it('are logged up to a limit, and the others are counted at the end of the interval', () => {
    const lines: unknown[][] = [];
    const log = { error: (...line: unknown[]) => lines.push(line) };
    const errors = new LimitedErrors(log as never, { most: 2, everyMs: 1000 });
    for (let i = 1; i <= 5; i++) errors.error({ i }, 'bad');
    jest.advanceTimersByTime(999);
    errors.error({ i: 6 }, 'bad');
    expect(lines).toEqual([
      [{ i: 1 }, 'bad'],
      [{ i: 2 }, 'bad'],
    ]);
    jest.advanceTimersByTime(1);
    expect(lines.slice(2)).toEqual([
      [{ suppressed: 4 }, '4 more errors like the last 2 in 1 s; they were not logged one by one.'],
    ]);
    errors.error({ i: 7 }, 'bad');
    jest.advanceTimersByTime(1000);
    expect(lines.slice(3)).toEqual([[{ i: 7 }, 'bad']]);
    expect(jest.getTimerCount()).toBe(0);
  });
});
