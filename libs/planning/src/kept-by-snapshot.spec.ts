import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from '@jest/globals';
import { readSnapshot } from '#planning';
import { keptBySnapshot } from './kept-by-snapshot.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void;

const snapshot = () => readSnapshot({ queues: [{ path: 'root' }], applications: [], allocations: [] });

it('makes one thing of a snapshot, and another one of a copy', () => {
  const listOf = keptBySnapshot(({ partition }) => [partition]);
  const otherOf = keptBySnapshot(({ partition }) => [partition]);
  const read = snapshot();
  const list = listOf(read);
  expect(listOf(read)).toBe(list);
  expect(otherOf(read)).not.toBe(list);
  expect(listOf({ ...read, partition: 'gpu' })).toEqual(['gpu']);
  expect(read).toEqual(snapshot());
});

it('collections of young garbage take snapshots along with what was made of them', () => {
  const entries = 100_000;
  const snapshots = 20;
  const listOf = keptBySnapshot(() => new Array<object>(entries).fill(snapshot));
  const collectYoung = () => {
    for (let time = 0; time < 3; time++) collect({ type: 'minor' });
    return getHeapStatistics().used_heap_size;
  };
  listOf(snapshot());
  const before = collectYoung();
  for (let i = 0; i < snapshots; i++) listOf(snapshot());
  expect(collectYoung() - before).toBeLessThan((snapshots * entries * 8) / 4);
});
