import { expect, it } from '@jest/globals';
import { exemptSentences } from './foreseen-lines.js';
import { clockText } from './time.js';

const until = '2026-11-21T10:10:00.000Z';
const later = '2026-11-21T10:12:00.000Z';
const one = (kind: 'application' | 'allocation', name: string, at = until) => ({ kind, name, until: at });

it('is empty without exemptions', () => {
  expect(exemptSentences({ exempt: [] })).toEqual([]);
});

it('names the first of each kind, counts the others, and has the latest end', () => {
  const exempt = [
    ...['a', 'b', 'c', 'd', 'e'].map((name) => one('application', name, name === 'b' ? later : until)),
    one('allocation', 'x-1'),
  ];
  expect(exemptSentences({ exempt })).toEqual([
    `Exempt until ${clockText(later)}: a, b, c and 2 more operations, since an operator rejected a plan to take from them.`,
    `Exempt until ${clockText(until)}: x-1, since the cluster refused to evict it.`,
  ]);
});
