import { expect, it } from '@jest/globals';
import { hasLeaving } from './leaving.js';

const stays = { queue: 'root.a', usage: { vcore: 2 }, inFlight: {} };
const leaves = { queue: 'root.b', usage: { vcore: 2 }, inFlight: { vcore: 1 } };

it.each<[what: string, answer: unknown, has: boolean]>([
  ['no answer yet', undefined, false],
  ['a queue', stays, false],
  ['a queue with work that leaves', leaves, true],
  ['a list of queues', [stays, leaves], true],
  ['a page', { items: [stays, stays] }, false],
  ['pages of applications', { pages: [{ items: [stays] }, { items: [leaves] }] }, true],
  ['allocations', { pages: [{ items: [{ id: 'a', state: 'preempting' }] }] }, true],
  ['a status', { at: '', partitions: [{}] }, false],
])('in %s there is something that leaves: %j is %s', (_, answer, has) => {
  expect(hasLeaving(answer)).toBe(has);
});
