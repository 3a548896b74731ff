import { setFlagsFromString } from 'node:v8';
import { expect, it } from '@jest/globals';
import { readSnapshot, type Snapshot } from '#planning';
import { inQueueSnapshotOf } from '../intra-queue/in-queue-snapshot.js';
import { queueSnapshotOf } from './by-queue.js';

setFlagsFromString('--allow-natives-syntax');
const haveSameShape = new Function('a', 'b', 'return %HaveSameMap(a, b)') as (
  a: object,
  b: object,
) => boolean;

const snapshot = () => readSnapshot({ queues: [{ path: 'root' }], applications: [], allocations: [] });

it.each([
  ['read', snapshot],
  ['by queue', () => queueSnapshotOf(snapshot())],
  ['of a round', () => inQueueSnapshotOf(queueSnapshotOf(snapshot()))],
])('all snapshots %s have one shape, for which the engine compiles once', (_, make) => {
  const all = Array.from({ length: 1000 }, make);
  const parts = (one: Snapshot) => ({ ...one, whole: one });
  const last = parts(all.at(-1)!);
  const changing = (['whole', 'queues', 'applications', 'allocations', 'nodes'] as const).filter((part) => {
    const different = all.filter((one) => !haveSameShape(parts(one)[part], last[part]));
    // The engine may have replaced the shape of the first ones: with a new shape for each, it would be 999.
    return different.length >= 100;
  });
  expect(changing).toEqual([]);
});
