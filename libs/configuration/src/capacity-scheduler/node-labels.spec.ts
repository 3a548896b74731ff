import { describe, expect, it } from '@jest/globals';
import { readConfiguration } from '../read-configuration.js';

const q = 'yarn.scheduler.capacity.';
const json = (settings: Record<string, unknown>) => readConfiguration({ json: settings });

/** Two queues with a delay, in which everything would be enforced. */
const plain = {
  [`${q}root.queues`]: 'a,b',
  [`${q}root.a.capacity`]: '20',
  [`${q}root.a.maximum-capacity`]: '30',
  [`${q}root.b.capacity`]: '80',
  [`${q}root.a.quota-preemption-delay`]: '10m',
};

describe('node labels of YARN', () => {
  it.each<[string, Record<string, unknown>, string[]]>([
    ['a capacity of root', { [`${q}root.accessible-node-labels.GPU.capacity`]: 100 }, ['GPU']],
    ['a maximum of a queue', { [`${q}root.b.accessible-node-labels.GPU.maximum-capacity`]: 50 }, ['GPU']],
    ['an amount of another key', { [`${q}root.b.accessible-node-labels.GPU.max-am-percent`]: 1 }, ['GPU']],
    ['a label with a dot', { [`${q}root.b.accessible-node-labels.v1.2.capacity`]: 50 }, ['v1.2']],
    ['the labels of a queue', { [`${q}root.a.accessible-node-labels`]: 'SSD, GPU' }, ['GPU', 'SSD']],
    ['the default of a queue', { [`${q}root.b.default-node-label-expression`]: 'GPU' }, ['GPU']],
    [
      'those of an auto-created leaf',
      { [`${q}root.b.leaf-queue-template.accessible-node-labels`]: 'GPU' },
      ['GPU'],
    ],
    ['the switch of yarn-site.xml', { 'yarn.node-labels.enabled': true }, ['*']],
    [
      'what EMR sets',
      {
        'yarn.node-labels.enabled': true,
        'yarn.node-labels.am.default-node-label-expression': 'CORE',
        [`${q}root.accessible-node-labels`]: '*',
        [`${q}root.accessible-node-labels.CORE.capacity`]: 100,
        [`${q}root.b.accessible-node-labels.CORE.capacity`]: 100,
      },
      ['CORE'],
    ],
  ])('are known by %s: the file is valid, and nothing of it is enforced', (_, keys, labels) => {
    const { valid, partitions, queues, warnings } = json({ ...plain, ...keys });
    expect(valid).toBe(true);
    expect(partitions).toMatchObject([{ quotaPreemptionEnabled: false, policies: {} }]);
    expect(queues[0]).toMatchObject({ path: 'root', properties: { nodeLabels: labels } });
    expect(queues.find(({ path }) => path === 'root.a')).toMatchObject({
      delayMs: 600_000,
      clusterShare: { max: '3/10' },
    });
    const of = (code: string) => warnings.filter((warning) => warning.code === code);
    expect(of('node-labels')).toHaveLength(1);
    expect(of('node-labels')[0]!.message).toMatch(
      /node labels.* nodes without a label .*no quota .* is enforced/,
    );
    expect(of('preemption-by-default')).toEqual([]);
    const warned = Object.keys(keys)
      .filter((key) => keys[key] !== '*')
      .sort();
    expect(
      of('without-effect')
        .map(({ path }) => path)
        .sort(),
    ).toEqual(warned);
  });

  it.each<[string, Record<string, unknown>]>([
    ['what YARN presumes for root', { [`${q}root.accessible-node-labels`]: '*' }],
    ['no label at all', { [`${q}root.a.accessible-node-labels`]: ' ' }],
    ['nodes without a label', { [`${q}root.a.default-node-label-expression`]: '<DEFAULT_PARTITION>' }],
    ['the switch, off', { 'yarn.node-labels.enabled': 'false' }],
  ])('are not there by %s', (_, keys) => {
    const { partitions, queues, warnings } = json({ ...plain, ...keys });
    expect(partitions).toMatchObject([{ quotaPreemptionEnabled: true, policies: { 'intra-queue': {} } }]);
    expect(queues[0]!.properties ?? {}).not.toHaveProperty('nodeLabels');
    expect(warnings.map(({ code }) => code)).not.toContain('node-labels');
  });

  it('of yarn-site.xml count too, with that file in the warning', () => {
    const xml = (name: string, value: string) =>
      `<property><name>${name}</name><value>${value}</value></property>`;
    const text = `<configuration>${Object.entries(plain)
      .map(([name, value]) => xml(name, value))
      .join('')}</configuration>`;
    const yarnSite = {
      text: `<configuration>${xml('yarn.node-labels.enabled', 'true')}${xml('yarn.node-labels.fs-store.root-dir', '/labels')}</configuration>`,
      file: 'yarn-site.xml',
    };
    const { valid, partitions, warnings } = readConfiguration(text, { yarnSite });
    expect(valid).toBe(true);
    expect(partitions).toMatchObject([{ quotaPreemptionEnabled: false }]);
    expect(warnings.find(({ code }) => code === 'node-labels')).toMatchObject({ file: 'yarn-site.xml' });
  });
});
