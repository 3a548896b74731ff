import { expect, it } from '@jest/globals';
import { nearestOf } from './words.js';

const known = ['enforcements', 'events', 'root.research', 'root.services'];

it.each([
  ['enforcments', 'enforcements'],
  ['evnets', 'events'],
  ['root.Reserch', 'root.research'],
  ['root', undefined],
  ['e', undefined],
  ['root.research.batch', undefined],
])('takes %s for %s', (given, meant) => {
  expect(nearestOf(given, known)).toBe(meant);
});
