import { expect, it } from '@jest/globals';
import { leftAloneSentences } from './left-alone-lines.js';
import { clockText } from './time.js';

const until = '2026-11-21T10:10:00.000Z';
const later = '2026-11-21T10:12:00.000Z';
const one = (kind: 'application' | 'allocation', name: string, at = until) => ({ kind, name, until: at });

it('says nothing of no one', () => {
  expect(leftAloneSentences({ leftAlone: [] })).toEqual([]);
});

it('names the first of each kind, counts the others, and has the latest end', () => {
  const leftAlone = [
    ...['a', 'b', 'c', 'd', 'e'].map((name) => one('application', name, name === 'b' ? later : until)),
    one('allocation', 'x-1'),
  ];
  expect(leftAloneSentences({ leftAlone })).toEqual([
    `Left alone until ${clockText(later)}: a, b, c and 2 more operations, since an operator turned down to take from them.`,
    `Left alone until ${clockText(until)}: x-1, since the cluster refused to evict it.`,
  ]);
});
