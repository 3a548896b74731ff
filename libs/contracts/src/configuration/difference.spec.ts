import { describe, expect, it } from '@jest/globals';
import { clockEffect } from './clock-effect.js';
import { diffConfigurations } from './difference.js';
import { readConfiguration } from './read-configuration.js';

const G = 10n ** 9n;
const values = (max: Record<string, bigint> | null, delayMs = 60_000) => ({ max, delayMs });

describe('what a save does to a clock', () => {
  it.each([
    ['b: delay 0', values({ m: 9n }), values({ m: 3n }, 0), 'cancels'],
    ['b: delay 0 as before', values({ m: 9n }, 0), values({ m: 3n }, 0), 'none'],
    ['c: no max', values({ m: 9n }), values(null), 'cancels'],
    ['c: no max as before', values(null), values(null, 120_000), 'none'],
    ['d: nothing', values({ m: 9n }), values({ m: 9n }), 'none'],
    ['e: only the delay', values({ m: 9n }), values({ m: 9n }, 120_000), 'starts or restarts'],
    ['e: only the delay, from 0', values({ m: 9n }, 0), values({ m: 9n }), 'starts or restarts'],
    ['f: lowered', values({ m: 9n }), values({ m: 3n }), 'starts or restarts'],
    ['f: limited for the first time', values(null, 0), values({ m: 3n }), 'starts or restarts'],
    [
      'f: one type lowered, another raised',
      values({ m: 9n, v: 1n }),
      values({ m: 10n, v: 0n }),
      'starts or restarts',
    ],
    ['f: a type more', values({ m: 9n }), values({ m: 9n, v: 1n }), 'starts or restarts'],
    ['g: raised', values({ m: 3n }), values({ m: 4n }), 'cancels'],
    ['g: a type less', values({ m: 3n, v: 1n }), values({ m: 3n }), 'cancels'],
    ['g: raised, no clock possible before', values({ m: 3n }, 0), values({ m: 4n }), 'none'],
  ])('row %s', (_, before, after, effect) => {
    expect(clockEffect(before, after).effect).toBe(effect);
  });
});

describe('the difference of two configurations', () => {
  const read = (text: string) => readConfiguration(`partitions: [${text}]`);

  it('names queues that come, go and change, per type', () => {
    const before = read(`{queues: [
      {name: a, resources: {max: {memory: 90G, vcore: 10}, guaranteed: {memory: 5G}, quota.preemption.delay: 60}},
      {name: gone, resources: {max: {memory: 1G}, quota.preemption.delay: 60}},
      {name: same, resources: {max: {memory: 1G}}}]}`);
    const after = read(`{preemption: {quotapreemptionenabled: true}, queues: [
      {name: new, resources: {max: {memory: 2G}}},
      {name: A, resources: {max: {memory: 30G, pods: 5}, quota.preemption.delay: 120}},
      {name: same, resources: {max: {memory: 1G}}}]}`);
    expect(diffConfigurations(before, after)).toEqual({
      switches: [{ partition: 'default', from: false, to: true }],
      queues: [
        {
          partition: 'default',
          path: 'root.new',
          change: 'new',
          max: [{ type: 'memory', change: 'lower', from: null, to: 2n * G }],
          guaranteed: [],
          clock: 'none',
          because: 'the delay is 0',
        },
        {
          partition: 'default',
          path: 'root.a',
          change: 'changed',
          max: [
            { type: 'memory', change: 'lower', from: 90n * G, to: 30n * G },
            { type: 'pods', change: 'lower', from: null, to: 5n },
            { type: 'vcore', change: 'raise', from: 10_000n, to: null },
          ],
          guaranteed: [{ type: 'memory', change: 'lower', from: 5n * G, to: null }],
          delay: { from: 60, to: 120 },
          clock: 'starts or restarts',
          because: 'max goes down',
        },
        {
          partition: 'default',
          path: 'root.gone',
          change: 'removed',
          max: [{ type: 'memory', change: 'raise', from: G, to: null }],
          guaranteed: [],
          delay: { from: 60, to: 0 },
          clock: 'cancels',
          because: 'the queue leaves the configuration',
        },
      ],
    });
  });

  it('finds nothing between a configuration and itself', () => {
    const one = read(
      '{name: x, queues: [{name: a, resources: {max: {memory: 9E}, quota.preemption.delay: 60}}]}',
    );
    expect(diffConfigurations(one, one)).toEqual({ switches: [], queues: [] });
  });

  it('keeps the queues of partitions apart', () => {
    const before = read('{name: x, queues: [{name: a, resources: {max: {memory: 1}}}]}');
    const after = read('{name: y, queues: [{name: a, resources: {max: {memory: 1}}}]}');
    const { switches, queues } = diffConfigurations(before, after);
    expect(switches).toEqual([
      { partition: 'y', from: null, to: false },
      { partition: 'x', from: false, to: null },
    ]);
    expect(
      queues.filter(({ path }) => path === 'root.a').map(({ partition, change }) => [partition, change]),
    ).toEqual([
      ['y', 'new'],
      ['x', 'removed'],
    ]);
  });
});
