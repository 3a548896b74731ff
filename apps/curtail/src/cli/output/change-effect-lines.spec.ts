import { expect, it } from '@jest/globals';
import { changeSentence } from './change-effect-lines.js';

it.each([
  [0, true, /^runs of configuration 7 that start until .* are approved; none is open now$/],
  [0, false, /^runs of configuration 7 that are still to start are rejected; none is open now$/],
  [1, true, /^the open run of configuration 7 is approved, and those that start until /],
  [12, false, /^all 12 open runs of configuration 7 are rejected, and those that are still to start$/],
])('a decision about a change with %d open runs (approved: %p)', (runs, approved, sentence) => {
  const decided = { partition: 'default', version: 7, runs, approved, until: '2026-11-26T20:30:00.000Z' };
  expect(changeSentence(decided)).toMatch(sentence);
});
