import { expect, it } from '@jest/globals';
import { distanceText } from './distance-text.js';

it.each([
  [0, 'now'],
  [400, 'now'],
  [-400, 'now'],
  [1400, 'now'],
  [-1400, '1 s ago'],
  [3000, 'in 3 s'],
  [-59_000, '59 s ago'],
  [60_000, 'in 1 min'],
  [200_000, 'in 3 min 20 s'],
  [-7_200_000, '2 h ago'],
  [90_000_000, 'in 1 d 1 h'],
  [-86_400_000, '1 d ago'],
  [-110_000, '1 min 50 s ago'],
  [-2_149_000, '35 min ago'],
  [2_149_000, 'in 35 min 49 s'],
])('writes %i ms as "%s"', (ms, text) => {
  expect(distanceText(ms)).toBe(text);
});
