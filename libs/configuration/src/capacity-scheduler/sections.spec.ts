import { describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { readConfiguration } from '../read-configuration.js';
import { joinYarnSite, rewriteHadoopXml, writeHadoopXml } from './hadoop-properties.js';

const q = 'yarn.scheduler.capacity.';
const queues = {
  [`${q}root.queues`]: 'prod,dev',
  [`${q}root.prod.capacity`]: '75',
  [`${q}root.dev.capacity`]: 25,
};
const other = { ...queues, [`${q}root.prod.maximum-capacity`]: '90' };
const allocation = { 'yarn.scheduler.minimum-allocation-mb': '2048', 'yarn.log-aggregation-enable': 'true' };
const pairs = (properties: object) => Object.entries(properties);
const xml = (properties: object) =>
  writeHadoopXml(pairs(properties).map(([name, value]) => ({ name, value: String(value) })));
const lines = pairs(queues)
  .map(([name, value]) => `${name}=${value}`)
  .join('\n');
const classification = (Classification: string, Properties: object, more = {}) => ({
  Classification,
  Properties,
  ...more,
});
const version = (type: string, properties: object, tag = 'v1') => ({ type, tag, version: 1, properties });

const readable: [string, unknown][] = [
  ["EMR's classifications", [classification('capacity-scheduler', queues)]],
  ['one of them', classification('capacity-scheduler', queues)],
  [
    'those in another one',
    [classification('x', {}, { Configurations: [classification('capacity-scheduler', queues)] })],
  ],
  ['those of a cluster', { Name: 'c', Configurations: [classification('capacity-scheduler', queues)] }],
  ['those in lower case', [{ classification: 'capacity-scheduler', properties: queues }]],
  [
    'those of CloudFormation',
    {
      Resources: {
        C: {
          Properties: {
            Configurations: [{ Classification: 'capacity-scheduler', ConfigurationProperties: queues }],
          },
        },
      },
    },
  ],
  ["Ambari's items", { href: 'h', items: [version('capacity-scheduler', queues)] }],
  [
    'items with all properties in one text',
    { items: [version('capacity-scheduler', { 'capacity-scheduler': lines })] },
  ],
  [
    'items with a placeholder',
    { items: [version('capacity-scheduler', { ...queues, 'capacity-scheduler': 'null' })] },
  ],
  [
    'the same version twice',
    { items: [version('capacity-scheduler', queues), version('capacity-scheduler', queues, 'v2')] },
  ],
  [
    'a blueprint',
    { configurations: [{ 'capacity-scheduler': { properties: queues, properties_attributes: {} } }] },
  ],
  ['an older blueprint', { configurations: [{ 'capacity-scheduler': queues }], host_groups: [] }],
  ['what is sent to Ambari', [{ Clusters: { desired_config: [version('capacity-scheduler', queues)] } }]],
  ["what Ambari's client writes", { properties: queues }],
  [
    "YARN's answer on /conf",
    { properties: pairs(queues).map(([key, value]) => ({ key, value, isFinal: false })) },
  ],
  [
    "YARN's answer on /ws/v1/cluster/scheduler-conf",
    { property: pairs(queues).map(([name, value]) => ({ name, value })) },
  ],
  [
    'the same below its name',
    { configuration: { property: pairs(queues).map(([name, value]) => ({ name, value })) } },
  ],
  [
    'a ConfigMap with the files',
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      data: { 'core-site.xml': xml({}), 'capacity-scheduler.xml': xml(queues) },
    },
  ],
];

const shares = [
  ['root', undefined],
  ['root.prod', { guaranteed: '3/4' }],
  ['root.dev', { guaranteed: '1/4' }],
];
const found = (input: Parameters<typeof readConfiguration>[0], options = {}) => {
  const { errors, format, queues: read } = readConfiguration(input, options);
  return { errors, format, queues: read.map(({ path, clusterShare }) => [path, clusterShare]) };
};
const right = { errors: [], format: 'capacity-scheduler', queues: shares };

describe('properties of the Capacity Scheduler', () => {
  it.each(readable)('are read from %s, as JSON, YAML and a value', (_, value) => {
    expect(found(JSON.stringify(value))).toEqual(right);
    expect(found(JSON.stringify(value), { format: 'capacity-scheduler' })).toEqual(right);
    expect(found(stringify(value))).toEqual(right);
    expect(found({ json: value })).toEqual(right);
  });

  it.each(['', '# from Ambari\n\n'])('are read from lines name=value: %j', (before) => {
    expect(found(before + lines)).toEqual(right);
    expect(found(`${before}${lines.replace('prod,dev', 'prod,\\\n  dev')}`)).toEqual(right);
  });

  it.each(readable)('of %s are written as the file of the scheduler', (_, value) => {
    expect(found(rewriteHadoopXml(JSON.stringify(value))!)).toEqual(right);
  });

  it('come with what a yarn-site beside them says of the scheduler', () => {
    const whole = [classification('capacity-scheduler', queues), classification('yarn-site', allocation)];
    const minimum = (text: string, options = {}) =>
      readConfiguration(text, options).partitions[0]?.policies['intra-queue']?.minimumAllocation;
    expect(minimum(JSON.stringify(whole))).toMatchObject({ memory: 2 ** 31 });
    const [own, site] = whole.map((section) => JSON.stringify([section]));
    for (const text of [site!, JSON.stringify(allocation), xml(allocation)]) {
      const yarnSite = { text, file: 'site' };
      expect(minimum(own!, { yarnSite })).toMatchObject({ memory: 2 ** 31 });
      const joined = joinYarnSite(own!, yarnSite);
      expect(minimum(joined)).toMatchObject({ memory: 2 ** 31 });
      expect(joined).not.toContain('log-aggregation');
    }
  });

  it('of a yarn-site that is no JSON have errors with its name', () => {
    const yarnSite = { text: '{"yarn.a": ', file: 'yarn-site.json' };
    expect(readConfiguration(JSON.stringify(queues), { yarnSite }).errors).toMatchObject([
      { file: 'yarn-site.json', line: 1 },
    ]);
  });

  it.each([
    [
      'two versions that differ',
      { items: [version('capacity-scheduler', queues), version('capacity-scheduler', other, 'v2')] },
      'items[0].properties and items[1].properties are both the capacity-scheduler, and differ',
    ],
    ['none', [classification('yarn-site', allocation)], 'no capacity-scheduler is here, only yarn-site'],
    [
      'other ones',
      [classification('spark-defaults', {})],
      'no capacity-scheduler is here, only spark-defaults',
    ],
    [
      'versions without properties',
      { items: [{ type: 'capacity-scheduler', tag: 'v1' }] },
      'ask for those of the version in force',
    ],
  ])('are refused with %s', (_, value, message) => {
    const { errors, allowUnknownHelps } = readConfiguration(JSON.stringify(value));
    expect(errors.map((error) => error.message)).toEqual([expect.stringContaining(message)]);
    expect(allowUnknownHelps).toBe(false);
  });

  it('in other files of YARN are missing', () => {
    expect(readConfiguration(xml(allocation)).errors).toMatchObject([
      { message: expect.stringContaining('no key begins with yarn.scheduler.capacity.') },
    ]);
    expect(readConfiguration(`${xml(allocation)}${xml(queues)}`).errors).toMatchObject([
      { message: expect.stringContaining('give one file alone, and yarn-site.xml with --yarn-site') },
    ]);
  });
});
