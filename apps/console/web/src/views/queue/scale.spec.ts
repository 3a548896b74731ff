import { expect, it } from '@jest/globals';
import { amountTicks, scaleOf, stepPath, timeTicks } from './scale.js';

it('places values between the ends, also where these are one', () => {
  expect([10, 15, 20].map(scaleOf(10, 20, 100).at)).toEqual([0, 50, 100]);
  expect(scaleOf(10, 10, 100).at(10)).toBe(0);
});

it.each([
  [40_000, 5],
  [170_000, 2],
  [3_600_000, 6],
  [86_400_000 * 30, 5],
  [86_400_000 * 900, 10],
])('marks at least one and at most a few times in %i ms', (ms, most) => {
  const from = Date.UTC(2026, 10, 3, 7, 21, 13);
  const ticks = timeTicks(scaleOf(from, from + ms, 500), most);
  expect(ticks.length).toBeGreaterThan(0);
  expect(ticks.length).toBeLessThanOrEqual(most + 1);
  expect(ticks.every(({ at }) => at >= from && at <= from + ms)).toBe(true);
});

it('marks amounts that are easy to read', () => {
  expect(amountTicks(160e9)).toEqual([100e9]);
  expect(amountTicks(45_000)).toEqual([20_000, 40_000]);
  expect(amountTicks(3)).toEqual([1, 2, 3]);
});

it('keeps each value until the next', () => {
  expect(
    stepPath(
      [
        [0, 10],
        [5, 20],
      ],
      9,
    ),
  ).toBe('M0 10H5V20H9');
  expect(stepPath([], 9)).toBe('');
});
