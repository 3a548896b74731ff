import { expect, it } from '@jest/globals';
import { lasting, withoutVersions } from './lasting.js';

const list = (newer: number, older: number) =>
  [
    'VERSION  APPLIED    BY    VIA   CHANGES',
    `     ${newer}  2 min ago  root  http  1 queue changed`,
    `     ${older}  8 s ago    root  http  1 queue changed`,
    `next: compare two versions: curtail diff ${older} ${newer}`,
  ].join('\n');

it('compares versions by their order, whatever their numbers are', () => {
  expect(withoutVersions(list(18, 16))).toBe(withoutVersions(list(11, 9)));
  expect(withoutVersions(list(18, 16))).not.toBe(withoutVersions(list(16, 18)));
  expect(withoutVersions(list(18, 16))).not.toBe(withoutVersions(list(18, 16).replace('diff 16', 'diff 18')));
  expect(withoutVersions('1 queue changed, 20 left')).toBe('1 queue changed, 20 left');
});

it('compares nothing of a time, also where a line breaks within it', () => {
  expect(lasting('is due at 2026-11-28\n      14:32:38.')).toBe(lasting('is due at 2026-11-29 00:01:02.'));
  expect(lasting('due in 1 min, at 17:43:37')).toBe(lasting('due in 59 s, at 00:12:55'));
  expect(lasting('due in 1 min')).not.toBe(lasting('due 1 min ago'));
});
