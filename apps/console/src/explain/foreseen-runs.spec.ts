import { expect, it } from '@jest/globals';
import { verdictOf } from './foreseen-runs.js';

const all = { moreApplications: 0 };
const some = { moreApplications: 1 };
const named = { victims: 2, allocations: ['a', 'b'] };
const inPart = { victims: 3, allocations: ['a', 'b'] };

it.each([
  ['evicted where the plan names it', all, named, 'evicted'],
  ['not known before anything was planned', null, undefined, 'unknown'],
  ['stays where nothing of its application is taken', all, undefined, 'stays'],
  ['not known where its application may be among those that are not kept', some, undefined, 'unknown'],
] as const)('an allocation is %s', (_, foresight, application, verdict) => {
  expect(verdictOf('a', foresight, application)).toBe(verdict);
});

it('stays where all victims of its application are named, and is not known where only some are', () => {
  expect(verdictOf('c', all, named)).toBe('stays');
  expect(verdictOf('c', all, inPart)).toBe('unknown');
});
