import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { clusterSize, resolveShares } from '#contracts';
import { type ConfigurationOptions, readConfiguration } from '../read-configuration.js';
import { rewriteHadoopXml } from './hadoop-properties.js';

const q = 'yarn.scheduler.capacity.';
const p = 'yarn.resourcemanager.monitor.capacity.preemption.';
const i = `${p}intra-queue-preemption.`;

/** Line 2 is the first property. */
const xml = (settings: Record<string, string | number>) =>
  [
    '<configuration>',
    ...Object.entries(settings).map(
      ([name, value]) => `<property><name>${name}</name><value>${value}</value></property>`,
    ),
    '</configuration>',
  ].join('\n');
const read = (settings: Record<string, string | number>, options: ConfigurationOptions = {}) =>
  readConfiguration(xml(settings), options);
const queue = (result: ReturnType<typeof read>, path: string) => {
  expect(result.errors).toEqual([]);
  return result.queues.find((one) => one.path === path);
};
/** One leaf with all of the cluster. */
const leaf = { [`${q}root.queues`]: 'a', [`${q}root.a.capacity`]: 100 };
const quiet = { ...leaf, [`${i}enabled`]: 'true' };

describe('queues of the Capacity Scheduler', () => {
  it('are those that are named from root down, in lower case', () => {
    const { partitions, queues, format } = read(
      {
        [`${q}root.queues`]: 'Prod, dev',
        [`${q}root.Prod.queues`]: 'x,capacity',
        [`${q}root.Prod.capacity`]: 100,
        [`${q}root.Prod.x.capacity`]: 100,
        [`${q}root.Prod.capacity.state`]: 'RUNNING',
      },
      { partition: 'gpu' },
    );
    expect(format).toBe('capacity-scheduler');
    expect(partitions).toMatchObject([{ name: 'gpu', quotaPreemptionEnabled: false }]);
    expect(queues.map(({ path, parent }) => [path, parent])).toEqual([
      ['root', true],
      ['root.prod', true],
      ['root.prod.x', false],
      ['root.prod.capacity', false],
      ['root.dev', false],
    ]);
  });

  it('have parts of the parent, exact down the tree, of what it is guaranteed and of what it may have', () => {
    const result = read({
      [`${q}root.queues`]: 'a,b',
      [`${q}root.a.capacity`]: 12.5,
      [`${q}root.a.maximum-capacity`]: 50,
      [`${q}root.b.capacity`]: 87.5,
      [`${q}root.a.queues`]: 'x,y,z',
      [`${q}root.a.x.capacity`]: '1w',
      [`${q}root.a.y.capacity`]: '1.5w',
      [`${q}root.a.z.capacity`]: '0w',
      [`${q}root.a.x.maximum-capacity`]: 33.3,
    });
    expect(queue(result, 'root.a')?.clusterShare).toEqual({ guaranteed: '1/8', max: '1/2' });
    expect(queue(result, 'root.b')?.clusterShare).toEqual({ guaranteed: '7/8' });
    expect(queue(result, 'root.a.x')?.clusterShare).toEqual({ guaranteed: '1/20', max: '333/2000' });
    expect(queue(result, 'root.a.y')?.clusterShare).toEqual({ guaranteed: '3/40' });
    expect(queue(result, 'root.a.z')?.clusterShare).toBeUndefined();
    expect(queue(result, 'root.a.x')).toMatchObject({ max: null, guaranteed: null });
  });

  it('have amounts at once where amounts are written, and below them', () => {
    const result = read({
      [`${q}root.queues`]: 'a',
      [`${q}root.a.capacity`]: '[memory=10240, vcores=12,yarn.io/gpu=3]',
      [`${q}root.a.maximum-capacity`]: '[memory=20Gi,vcores=20]',
      [`${q}root.a.queues`]: 'x,y',
      [`${q}root.a.x.capacity`]: 33.3,
      [`${q}root.a.y.capacity`]: 66.7,
      [`${q}root.a.y.maximum-capacity`]: 50,
    });
    expect(queue(result, 'root.a')).toMatchObject({
      guaranteed: { memory: 10 * 2 ** 30, vcore: 12_000, 'yarn.io/gpu': 3 },
      max: { memory: 20 * 2 ** 30, vcore: 20_000 },
    });
    expect(queue(result, 'root.a.x')?.guaranteed).toEqual({
      memory: 3575560273,
      vcore: 3996,
      'yarn.io/gpu': 0,
    });
    expect(queue(result, 'root.a.y')?.max).toEqual({ memory: 10 * 2 ** 30, vcore: 10_000 });
  });

  it.each<[string, Record<string, string | number>, string, string]>([
    ['no queues', {}, `${q}root.queues`, 'name one or more'],
    ['a name with a blank', { ...leaf, [`${q}root.a.queues`]: 'x y' }, `${q}root.a.queues`, 'not "x y"'],
    [
      'a name twice',
      { ...leaf, [`${q}root.a.queues`]: 'x,X', [`${q}root.a.x.capacity`]: 100 },
      `${q}root.a.queues`,
      'occurs twice',
    ],
    [
      'less than 100',
      { [`${q}root.queues`]: 'a,b', [`${q}root.a.capacity`]: 50, [`${q}root.b.capacity`]: 49.9 },
      `${q}root.b.capacity`,
      'add up to 99.9',
    ],
    ['nothing at all', { [`${q}root.queues`]: 'a,b' }, `${q}root.queues`, 'add up to 0'],
    ['more than 100', { ...leaf, [`${q}root.a.capacity`]: 101 }, `${q}root.a.capacity`, 'from 0 to 100'],
    [
      'percent and weights',
      { [`${q}root.queues`]: 'a,b', [`${q}root.a.capacity`]: 50, [`${q}root.b.capacity`]: '5w' },
      `${q}root.b.capacity`,
      'mix percentages and weights',
    ],
    [
      'a broken amount',
      { ...leaf, [`${q}root.a.capacity`]: '[memory=1o]' },
      `${q}root.a.capacity`,
      'is not a unit',
    ],
    [
      'a percentage of one type',
      { ...leaf, [`${q}root.a.capacity`]: '[memory=50%]' },
      `${q}root.a.capacity`,
      'amounts of all types',
    ],
    [
      'a maximum below the capacity',
      { ...leaf, [`${q}root.a.maximum-capacity`]: 99 },
      `${q}root.a.capacity`,
      'limited to 99 %',
    ],
    [
      'a weight as maximum',
      { ...leaf, [`${q}root.a.maximum-capacity`]: '1w' },
      `${q}root.a.maximum-capacity`,
      'no weight',
    ],
    ['another root', { ...leaf, [`${q}root.capacity`]: 90 }, `${q}root.capacity`, 'the whole cluster'],
    [
      'children with more than their parent',
      {
        [`${q}root.queues`]: 'a',
        [`${q}root.a.capacity`]: '[memory=10]',
        [`${q}root.a.queues`]: 'x',
        [`${q}root.a.x.capacity`]: '[memory=11]',
      },
      `${q}root.a.x.capacity`,
      'more than its',
    ],
    [
      'a variable',
      { ...leaf, [`${q}root.a.user-limit-factor`]: ['$', '{factor}'].join('') },
      `${q}root.a.user-limit-factor`,
      'variables are not expanded',
    ],
    [
      'a percentage out of range',
      { ...leaf, [`${q}root.a.minimum-user-limit-percent`]: 101 },
      `${q}root.a.minimum-user-limit-percent`,
      'from 0 to 100',
    ],
    [
      'a factor below 0',
      { ...leaf, [`${q}root.a.user-limit-factor`]: -0.5 },
      `${q}root.a.user-limit-factor`,
      '-1 for no cap',
    ],
    [
      'a weight for more than all',
      { ...leaf, [`${q}root.a.user-settings.ann.weight`]: 1.5 },
      `${q}root.a.user-settings.ann.weight`,
      '(100), not 1.5',
    ],
    [
      'a switch',
      { ...leaf, [`${q}root.a.disable_preemption`]: 'yes' },
      `${q}root.a.disable_preemption`,
      'true or false',
    ],
    [
      'an order policy',
      { ...leaf, [`${i}preemption-order-policy`]: 'oldest' },
      `${i}preemption-order-policy`,
      'userlimit-first',
    ],
    [
      'a share above 1',
      { ...leaf, [`${i}max-allowable-limit`]: 1.1 },
      `${i}max-allowable-limit`,
      'from 0 to 1',
    ],
    [
      'a negative wait',
      { ...leaf, [`${p}max_wait_before_kill`]: -1 },
      `${p}max_wait_before_kill`,
      'it is -1',
    ],
    [
      'a calculator',
      { ...leaf, [`${q}resource-calculator`]: 'my.Own' },
      `${q}resource-calculator`,
      'is not known',
    ],
    [
      'a delay',
      { ...leaf, [`${q}root.a.quota-preemption-delay`]: 'soon' },
      `${q}root.a.quota-preemption-delay`,
      'no delay',
    ],
  ])('are refused with %s', (_, settings, path, message) => {
    const { valid, errors } = read(settings);
    expect(valid).toBe(false);
    const line = Object.keys(settings).indexOf(path) + 2;
    expect(errors).toEqual([
      expect.objectContaining({
        path,
        message: expect.stringContaining(message),
        ...(line > 1 ? { line } : {}),
      }),
    ]);
  });

  it('report all problems at once', () => {
    const { errors } = read({
      [`${q}root.queues`]: 'a,b',
      [`${q}root.a.capacity`]: 'half',
      [`${q}root.b.capacity`]: 100,
      [`${i}enabled`]: 'no',
    });
    expect(errors.map(({ line }) => line)).toEqual([3, 5]);
  });

  it('take percentages that miss 100 by no more than YARN forgives, and nothing where that is allowed', () => {
    const thirds = {
      [`${q}root.queues`]: 'a,b,c',
      [`${q}root.a.capacity`]: 33.33,
      [`${q}root.b.capacity`]: 33.33,
      [`${q}root.c.capacity`]: 33.33,
    };
    expect(queue(read(thirds), 'root.a')?.clusterShare).toEqual({ guaranteed: '3333/10000' });
    const none = { ...leaf, [`${q}root.a.queues`]: 'x', [`${q}root.a.x.capacity`]: 0 };
    expect(read(none).valid).toBe(false);
    expect(read({ ...none, [`${q}allow-zero-capacity-sum`]: 'true' }).valid).toBe(true);
  });
});

describe('settings of the Capacity Scheduler', () => {
  it('become those of in-queue preemption: what is there, and the smallest allocation of YARN', () => {
    expect(read(leaf).warnings).toMatchObject([{ code: 'preemption-by-default', path: `${i}enabled` }]);
    expect(read(quiet).warnings).toEqual([]);
    expect(read(leaf).partitions[0]?.policies).toEqual({
      'intra-queue': { minimumAllocation: { memory: 2 ** 30, vcore: 1000 } },
    });
    const all = {
      ...leaf,
      [`${i}enabled`]: 'true',
      [`${i}preemption-order-policy`]: 'PRIORITY_FIRST',
      [`${i}max-allowable-limit`]: 0.3,
      [`${i}minimum-threshold`]: 0.4,
      [`${i}conservative-drf`]: 'false',
      [`${p}total_preemption_per_round`]: 0.25,
      [`${p}max_wait_before_kill`]: 20000,
      [`${p}monitoring_interval`]: 1000,
      [`${p}observe_only`]: 'TRUE',
      [`${q}resource-calculator`]: 'org.apache.hadoop.yarn.util.resource.DominantResourceCalculator',
      'yarn.scheduler.minimum-allocation-mb': 512,
      'yarn.scheduler.minimum-allocation-vcores': 2,
    };
    expect(read(all).partitions[0]?.policies).toEqual({
      'intra-queue': {
        enabled: true,
        preemptionOrderPolicy: 'PRIORITY_FIRST',
        maxAllowableLimit: 0.3,
        minimumThreshold: 0.4,
        conservativeDrf: false,
        totalPreemptionPerRound: 0.25,
        maxWaitBeforeKill: 20_000,
        monitoringInterval: 1000,
        observeOnly: true,
        resourceCalculator: 'dominant',
        minimumAllocation: { memory: 2 ** 29, vcore: 2000 },
      },
    });
    const off = { ...all, 'yarn.resourcemanager.scheduler.monitor.enable': 'false' };
    expect(read(off).partitions[0]?.policies['intra-queue']).toMatchObject({ enabled: false });
  });

  it('become properties of queues; those without a queue are for all leaves that have none', () => {
    const result = read({
      [`${q}root.queues`]: 'a,b',
      [`${q}root.a.capacity`]: 100,
      [`${q}root.a.queues`]: 'x',
      [`${q}root.a.x.capacity`]: 100,
      [`${q}minimum-user-limit-percent`]: 25,
      [`${q}root.b.minimum-user-limit-percent`]: 50,
      [`${q}root.b.user-limit-factor`]: -1,
      [`${q}root.a.user-settings.ann.lee.weight`]: 2.5,
      [`${q}root.a.x.ordering-policy`]: 'fair',
      [`${q}root.b.ordering-policy`]: 'fifo-for-pending-apps',
      [`${q}root.a.ordering-policy`]: 'utilization',
      [`${q}root.a.disable_preemption`]: 'true',
      [`${q}root.a.x.intra-queue-preemption.disable_preemption`]: 'false',
    });
    expect(queue(result, 'root')?.properties).toBeUndefined();
    expect(queue(result, 'root.a')?.properties).toEqual({
      userWeights: { 'ann.lee': 2.5 },
      disablePreemption: true,
    });
    expect(queue(result, 'root.a.x')?.properties).toEqual({
      minimumUserLimitPercent: 25,
      orderingPolicy: 'fair',
      disableIntraQueuePreemption: false,
    });
    expect(queue(result, 'root.b')?.properties).toEqual({
      minimumUserLimitPercent: 50,
      userLimitFactor: -1,
      orderingPolicy: 'fifo',
    });
  });

  it('switch quota decreases on by the delay of a queue, which those below inherit', () => {
    const result = read({ ...leaf, [`${q}root.quota-preemption-delay`]: '10m' });
    expect(result.partitions[0]?.quotaPreemptionEnabled).toBe(true);
    expect(queue(result, 'root.a')?.delaySeconds).toBe(600);
  });

  it('that are not known are kept and listed; those of the scheduler itself are not even that', () => {
    const { valid, warnings } = read({
      ...quiet,
      [`${q}root.a.state`]: 'RUNNING',
      [`${q}root.a.reservable`]: 'true',
      [`${q}maximum-applications`]: 10000,
      [`${q}root.acl_submit_applications`]: '*',
      [`${q}root.a.capcity`]: 5,
      [`${q}root.b.capacity`]: 5,
      [`${q}resource-calculater`]: 'x',
      [`${p}natural_termination_factor`]: 0.2,
      [`${i}max-alowable-limit`]: 0.2,
      'fs.s3a.secret.key': 'hush',
    });
    expect(valid).toBe(true);
    expect(warnings.map(({ code, path }) => [code, path])).toEqual([
      ['unknown-key', ''],
      ['unknown-key', `${q}root.a.capcity`],
      ['unknown-key', `${q}root.b.capacity`],
      ['unknown-key', `${q}resource-calculater`],
      ['without-effect', `${p}natural_termination_factor`],
      ['unknown-key', `${i}max-alowable-limit`],
    ]);
    expect(warnings[1]?.about).toEqual({ kind: 'queue', name: 'root.a' });
    expect(warnings[3]?.about).toEqual({ kind: 'partition', name: 'default' });
    expect(warnings[0]?.message).toContain('fs.s3a.secret.key');
    expect(JSON.stringify(warnings)).not.toContain('hush');
  });

  it('may be set in yarn-site.xml, of which nothing else is read; the other file takes precedence', () => {
    const site = xml({
      [`${i}enabled`]: 'false',
      [`${p}observe_only`]: 'true',
      'yarn.nodemanager.secret': 'hush',
      [`${q}root.a.user-limit-factor`]: -2,
    });
    const result = read(
      { ...leaf, [`${i}enabled`]: 'true' },
      { yarnSite: { text: site, file: 'yarn-site.xml' } },
    );
    expect(result.errors).toMatchObject([
      { path: `${q}root.a.user-limit-factor`, file: 'yarn-site.xml', line: 5 },
    ]);
    expect(result.warnings).toMatchObject([
      { code: 'without-effect', path: `${i}enabled`, file: 'yarn-site.xml', line: 2 },
    ]);
  });

  it('may come as JSON, in an object or as YARN answers it', () => {
    const { queues } = read(leaf);
    expect(readConfiguration({ json: leaf }).queues).toEqual(queues);
    const property = Object.entries(leaf).map(([name, value]) => ({ name, value: String(value) }));
    expect(readConfiguration({ json: { property } }).queues).toEqual(queues);
    expect(readConfiguration({ json: { property: [{ name: 'x' }] } }).errors[0]?.path).toBe('property[0]');
  });

  it('stand twice only with one value', () => {
    const twice = xml(leaf).replace(
      '</configuration>',
      `<property><name>${q}root.a.capacity</name><value>50</value></property></configuration>`,
    );
    expect(readConfiguration(twice).errors).toMatchObject([
      { path: `${q}root.a.capacity`, message: expect.stringContaining('also "100", on line 3'), line: 4 },
    ]);
  });
});

interface Tree {
  weight: number;
  ceiling: number;
  children: Tree[];
}
const treeOf = (levels: number): fc.Arbitrary<Tree> =>
  fc.record({
    weight: fc.integer({ min: 1, max: 9999 }),
    ceiling: fc.integer({ min: 0, max: 10_000 }),
    children: levels === 0 ? fc.constant<Tree[]>([]) : fc.array(treeOf(levels - 1), { maxLength: 3 }),
  });
const tree = treeOf(4);

/** Percentages that add up to 100 for some parents, weights for others. */
function settingsOf(path: string, { children }: Tree): Record<string, string> {
  if (children.length === 0)
    return path === 'root' ? { [`${q}root.queues`]: 'only', [`${q}root.only.capacity`]: '1w' } : {};
  const total = children.reduce((sum, { weight }) => sum + weight, 0);
  const shares = children.map(({ weight }) => Math.floor((weight * 10_000) / total));
  const rest = 10_000 - shares.reduce((sum, share) => sum + share, 0);
  const inWeights = total % 2 === 0;
  return Object.assign(
    { [`${q}${path}.queues`]: children.map((_, index) => `q${index}`).join(',') },
    ...children.map((child, index) => {
      const below = `${path}.q${index}`;
      const percent = (shares[index] ?? 0) + (index === 0 ? rest : 0);
      return {
        [`${q}${below}.capacity`]: inWeights ? `${child.weight}w` : String(percent / 100),
        [`${q}${below}.user-limit-factor`]: String(child.ceiling / 100),
        ...settingsOf(below, child),
      };
    }),
  );
}

describe('any configuration of the Capacity Scheduler', () => {
  const seed = Date.now() % 100_000;

  it(`gives children no more than their parent has, whatever the cluster (seed ${seed})`, () => {
    fc.assert(
      fc.property(tree, fc.array(fc.nat({ max: 2 ** 40 }), { minLength: 1 }), (top, memory) => {
        const { errors, queues } = read(settingsOf('root', top));
        expect(errors).toEqual([]);
        const size = clusterSize(memory.map((amount) => ({ capacity: { memory: amount } })));
        const has = new Map(queues.map((one) => [one.path, resolveShares(one, size).guaranteed?.memory]));
        has.set('root', size.memory);
        for (const [path, amount] of has) {
          const below = [...has].filter(([other]) => other.slice(0, other.lastIndexOf('.')) === path);
          if (below.length === 0) continue;
          const sum = below.reduce((total, [, theirs]) => total + (theirs ?? 0), 0);
          // Each is rounded down once.
          expect(sum).toBeLessThanOrEqual(amount ?? 0);
          expect(sum).toBeGreaterThan((amount ?? 0) - below.length - 1);
        }
      }),
      { seed, numRuns: 60 },
    );
  });

  it(`is unchanged when it is written and read again (seed ${seed})`, () => {
    fc.assert(
      fc.property(tree, (top) => {
        const text = xml(settingsOf('root', top));
        const again = rewriteHadoopXml(text) ?? '';
        expect(readConfiguration(again)).toEqual({ ...readConfiguration(text) });
        expect(rewriteHadoopXml(again)).toBe(again);
      }),
      { seed, numRuns: 60 },
    );
  });
});
