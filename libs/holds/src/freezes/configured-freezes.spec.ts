import { expect, it } from '@jest/globals';
import { configuredFreezes } from './configured-freezes.js';

const christmas = { from: '2026-12-24T12:00', until: '2026-12-27T08:00', timeZone: 'Europe/Berlin' };
const nights = { from: '2026-11-25T22:00', duration: 'PT8H', rule: 'FREQ=DAILY', reason: 'no staff' };
const queues = [
  { path: 'root', properties: { 'curtail.freeze': [christmas] } },
  { path: 'root.a', properties: { 'curtail.freeze': [nights, nights], 'curtail.miss': 5 } },
  { path: 'root.b', properties: null },
];

it('freezes of a configuration are those of its queues, those of root for the partition, each once', () => {
  expect(configuredFreezes('default', queues)).toMatchObject([
    { queue: null, window: { from: '2026-12-24T11:00:00.000Z', until: '2026-12-27T07:00:00.000Z' } },
    { queue: 'root.a', window: { start: '2026-11-25T22:00:00', timeZone: 'UTC' }, reason: 'no staff' },
  ]);
});

it('keep their ids as long as nothing about them changes', () => {
  const ids = (partition: string, of = queues) =>
    configuredFreezes(partition, of).map(({ freeze }) => freeze);
  expect(ids('default')).toEqual(ids('default', queues.toReversed()).toReversed());
  expect(ids('default')).not.toEqual(ids('other'));
  const later = [{ path: 'root', properties: { 'curtail.freeze': [{ ...christmas, until: 'soon' }] } }];
  expect(() => ids('default', later)).toThrow('soon');
  const renamed = [{ path: 'root', properties: { 'curtail.freeze': [{ ...christmas, reason: 'rest' }] } }];
  expect(ids('default', renamed)[0]).not.toBe(ids('default')[0]);
  for (const id of ids('default')) expect(id).toMatch(/^f-[0-9a-f]{12}$/);
});
