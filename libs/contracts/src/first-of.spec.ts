import { expect, it } from '@jest/globals';
import { firstOf } from './words.js';

it.each([
  [[], ''],
  [['a', 'b'], 'a, b'],
  [['a', 'b', 'c'], 'a, b and 1 more'],
])('the first of %j are named, and the others counted', (names, text) => {
  expect(firstOf(names, 2)).toBe(text);
});
