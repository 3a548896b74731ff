import { expect, it } from '@jest/globals';
import { runStartsAt } from './starts-at.js';
import type { ClockHolds } from './why-waiting.js';

const at = '2026-11-24T10:00:00.000Z';
const due = '2026-11-24T10:07:00.000Z';
const later = '2026-11-24T11:00:00.000Z';
const earlier = '2026-11-24T10:05:00.000Z';
const frozen = (until: string): ClockHolds => ({ frozen: { until, freeze: { queue: null, by: 'ann' } } });
const above = { queue: 'root', enforcement: 'e-2' };
const stop = { queue: null, by: 'ann' };

it.each<[what: string, clock: { dueAt: string; suspended?: boolean }, holds: ClockHolds, is: string | null]>([
  ['its due time', { dueAt: due }, {}, due],
  ['its due time, though it is past', { dueAt: at }, {}, at],
  [
    'its due time, already put off while its max goes up and down',
    { dueAt: due },
    { flapping: { queue: 'root.a', dueAt: earlier, because: '' } },
    due,
  ],
  ['the end of the freeze in which it falls due', { dueAt: due }, frozen(later), later],
  ['the end of the freeze for which it waits', { dueAt: later }, frozen(later), later],
  ['its due time, though the freeze ends before', { dueAt: due }, frozen(earlier), due],
  [
    'the end of the freeze, though a run above is in progress',
    { dueAt: due },
    { ...frozen(later), above },
    later,
  ],
  ['not known while a stop holds it', { dueAt: due, suspended: true }, { stop }, null],
  ['not known while the switch is off', { dueAt: due, suspended: true }, {}, null],
  [
    'not known while a stop holds it in a freeze',
    { dueAt: due, suspended: true },
    { stop, ...frozen(later) },
    null,
  ],
  ['not known once it waits for the run above', { dueAt: at }, { above }, null],
  ['at the earliest its due time while a run above is in progress', { dueAt: due }, { before: above }, due],
  ['not known once it waits for the cluster', { dueAt: at }, { unknown: 'it has never reported' }, null],
  [
    'its due time, though the cluster is unknown now',
    { dueAt: due },
    { unknown: 'it has never reported' },
    due,
  ],
  ['not known once it waits for the size of the cluster', { dueAt: at }, { noSize: true }, null],
])('the run of a clock starts at %s', (_, { dueAt, suspended = false }, holds, is) => {
  expect(runStartsAt({ dueAt, suspended }, holds, at)).toBe(is);
});
