import { expect, it } from '@jest/globals';
import { backOffMs } from './reflector.js';

it('waits twice as long each time, up to ten seconds', () => {
  expect([0, 1, 2, 3, 10, 2000].map((failures) => backOffMs(failures, 1))).toEqual([
    200, 400, 800, 1600, 10_000, 10_000,
  ]);
});

it('waits up to half of that less, by chance', () => {
  expect(backOffMs(3, 0)).toBe(800);
});

it('waits at least as long as the server asks for', () => {
  expect(backOffMs(0, 1, 30_000)).toBe(30_000);
  expect(backOffMs(10, 1, 1000)).toBe(10_000);
});
