import { expect, it } from '@jest/globals';
import { mostAttempts, retryDelay } from './outbox.js';

it('delays double up to six hours, and retries end within a day', () => {
  const delays = Array.from({ length: mostAttempts - 1 }, (_, n) => retryDelay(n + 1));
  expect(delays.slice(0, 4)).toEqual([5, 10, 20, 40]);
  expect(delays.at(-1)).toBe(6 * 3600);
  const hours = delays.reduce((sum, delay) => sum + delay, 0) / 3600;
  expect(hours).toBeGreaterThan(12);
  expect(hours).toBeLessThan(24);
});
