import { describe, expect, it } from '@jest/globals';
import { effectOnClock } from './clock-effect.js';
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
    expect(effectOnClock(before, after).effect).toBe(effect);
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

describe('the difference of two configurations of policies', () => {
  const key = 'yarn.scheduler.capacity.root';
  const preemption = 'yarn.resourcemanager.monitor.capacity.preemption.';
  const read = (settings: Record<string, string>) =>
    readConfiguration({ json: { [`${key}.queues`]: 'a', [`${key}.a.capacity`]: '100', ...settings } });

  it('names settings, properties and shares of the cluster, and the clock of a share that goes down', () => {
    const delay = { [`${key}.a.quota-preemption-delay`]: '10m' };
    const before = read({ ...delay, [`${key}.a.capacity`]: '10w', [`${key}.a.maximum-capacity`]: '100' });
    const after = read({
      ...delay,
      [`${key}.queues`]: 'a,b',
      [`${key}.a.capacity`]: '50',
      [`${key}.b.capacity`]: '50',
      [`${key}.a.maximum-capacity`]: '66.6',
      [`${key}.a.user-limit-factor`]: '2',
      [`${preemption}observe_only`]: 'true',
    });
    const { policies, queues } = diffConfigurations(before, after);
    expect(policies).toEqual([
      {
        partition: 'default',
        policy: 'intra-queue',
        change: 'settings',
        settings: [{ name: 'observeOnly', to: true }],
      },
    ]);
    expect(queues).toMatchObject([
      {
        path: 'root.a',
        change: 'changed',
        shares: [
          { of: 'max', change: 'lower', from: '100 %', to: '66.6 %' },
          { of: 'guaranteed', change: 'lower', from: '100 %', to: '50 %' },
        ],
        properties: [{ name: 'userLimitFactor', to: 2 }],
        clock: 'starts or restarts',
      },
      { path: 'root.b', change: 'new' },
    ]);
    expect(diffConfigurations(after, before).queues[0]?.clock).toBe('cancels');
    expect(diffConfigurations(after, after)).toEqual({ switches: [], queues: [] });
  });

  it('names policies that begin and end', () => {
    const pools = readConfiguration('pool_trees: {default: {}}');
    expect(diffConfigurations(read({}), pools).policies).toEqual([
      { partition: 'default', policy: 'intra-queue', change: 'ends', settings: [] },
      { partition: 'default', policy: 'fair-share', change: 'starts', settings: [] },
    ]);
  });

  describe('of shares of the cluster and amounts', () => {
    const q = 'yarn.scheduler.capacity.root';
    const yarn = (max: string, capacity = '100') =>
      readConfiguration(
        JSON.stringify({
          [`${q}.queues`]: 'a',
          [`${q}.a.capacity`]: capacity,
          [`${q}.a.maximum-capacity`]: max,
          [`${q}.a.quota-preemption-delay`]: '1m',
        }),
      );
    const changed = (from: string, to: string) => {
      const [queue] = diffConfigurations(yarn(from), yarn(to)).queues;
      return { max: queue?.max, shares: queue?.shares, clock: queue?.clock, because: queue?.because };
    };
    const depends = 'the size of the cluster decides whether max goes down';

    it('depends on the cluster where one takes the place of the other', () => {
      const all = yarn('100').queues;
      expect(all[1]?.clusterShare).toEqual({ guaranteed: '1', max: '1' });
      expect(changed('100', '[memory=10240,vcores=10]')).toEqual({
        max: [
          { type: 'memory', change: 'depends', from: null, to: 10n * 2n ** 30n, fromShare: '100 %' },
          { type: 'vcore', change: 'depends', from: null, to: 10_000n, fromShare: '100 %' },
        ],
        shares: [{ of: 'max', change: 'depends', from: '100 %', to: null }],
        clock: 'starts or restarts',
        because: depends,
      });
      expect(changed('[memory=10240]', '100')).toEqual({
        max: [{ type: 'memory', change: 'depends', from: 10n * 2n ** 30n, to: null, toShare: '100 %' }],
        shares: [{ of: 'max', change: 'depends', from: null, to: '100 %' }],
        clock: 'starts or restarts',
        because: depends,
      });
    });

    it('has a direction between two shares, and between a share and nothing', () => {
      expect(changed('-1', '100')).toMatchObject({
        max: [],
        shares: [{ of: 'max', change: 'lower', from: null, to: '100 %' }],
        because: 'max goes down',
      });
      expect(changed('100', '-1')).toMatchObject({ shares: [{ change: 'raise', from: '100 %', to: null }] });
      expect(changed('[memory=1024]', '[memory=2048]')).toMatchObject({
        max: [{ type: 'memory', change: 'raise' }],
        shares: undefined,
      });
    });

    it('is the same for what is guaranteed', () => {
      const [queue] = diffConfigurations(yarn('-1'), yarn('-1', '[memory=1024]')).queues;
      expect(queue).toMatchObject({
        guaranteed: [{ type: 'memory', change: 'depends', from: null, fromShare: '100 %' }],
        shares: [{ of: 'guaranteed', change: 'depends', from: '100 %', to: null }],
      });
    });
  });
});
