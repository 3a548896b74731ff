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
  const different = (of: (one: Snapshot) => object) =>
    all.filter((one) => !haveSameShape(of(one), of(all.at(-1)!))).length;
  expect({
    whole: different((one) => one),
    queues: different(({ queues }) => queues),
    applications: different(({ applications }) => applications),
    allocations: different(({ allocations }) => allocations),
    nodes: different(({ nodes }) => nodes),
  }).toEqual({ whole: 0, queues: 0, applications: 0, allocations: 0, nodes: 0 });
});
