import { expect, it } from '@jest/globals';
import { lossText } from './loss-text.js';

it('names the first owners of what a run would take', () => {
  expect(lossText({ victims: 1 }, new Set(['ann']))).toBe('1 allocation of ann');
  expect(lossText({ victims: 9 }, new Set(['a', 'b', 'c', 'd', 'e']))).toBe(
    '9 allocations of a, b, c and 2 more',
  );
  expect(lossText({ victims: 9 }, new Set())).toBe('9 allocations');
  expect(lossText({ victims: 0 }, new Set())).toBe('It would evict nothing now.');
});
