import { expect, it } from '@jest/globals';
import { isWorthCollecting } from './collect-when-calm.js';

const megabytes = (count: number) => count * 1024 * 1024;

it.each([
  ['much is left of work that is over', { grownBytes: megabytes(500), busy: 0.01 }, true],
  ['the process is still busy', { grownBytes: megabytes(500), busy: 0.3 }, false],
  ['little is left', { grownBytes: megabytes(20), busy: 0.01 }, false],
  ['the heap became smaller by itself', { grownBytes: megabytes(-100), busy: 0.01 }, false],
])('collects the garbage of a process only when it is worth the pause: %s', (_when, state, expected) => {
  expect(isWorthCollecting(state)).toBe(expected);
});
