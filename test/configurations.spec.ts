import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { readConfiguration } from '#configuration';

const folder = new URL('./configurations/', import.meta.url);
const read = (name: string) => readConfiguration(readFileSync(new URL(name, folder), 'utf8'));
const delays = (name: string) =>
  Object.fromEntries(
    read(name).queues.map(({ partition, path, delaySeconds }) => [`${partition} ${path}`, delaySeconds]),
  );

/** They have quotas, and no delay or no switch. */
const withoutEnforcement = ['child-templates.yaml', 'several-partitions.yaml'];

describe('configurations as clusters have them', () => {
  it.each(readdirSync(folder))('%s loads', (name) => {
    const { valid, errors, warnings } = read(name);
    const codes = withoutEnforcement.includes(name) ? ['nothing-enforced'] : [];
    expect({ valid, errors, warnings: warnings.map(({ code }) => code) }).toEqual({
      ...{ valid: true, errors: [], warnings: codes },
    });
  });

  it.each([
    ['queues.yaml', 'yunikorn', 'default'],
    ['queues-lowered.yaml', 'yunikorn', 'default'],
    ['capacity-scheduler.xml', 'capacity-scheduler', 'default'],
    ['pools.yaml', 'ytsaurus', 'physical'],
  ])('the example %s is one of the format %s, without a warning', (name, format, partition) => {
    const text = readFileSync(new URL(`../examples/${name}`, import.meta.url), 'utf8');
    const result = readConfiguration(text);
    expect(result.errors).toEqual([]);
    expect(result.format).toBe(format);
    expect(result.partitions.map((one) => one.name)).toEqual([partition]);
    // What a newcomer applies first must not warn about itself.
    expect(result.warnings).toEqual([]);
  });

  it('delays come from the nearest queue that sets one', () => {
    expect(delays('teams-with-quotas.yaml')).toEqual({
      'default root': 3600,
      'default root.analytics': 3600,
      'default root.analytics.reports': 1800,
      'default root.analytics.adhoc': 300,
      'default root.research': 3600,
      'default root.guests': 3600,
    });
    expect(delays('child-templates.yaml')).toMatchObject({ 'default root.people': 0 });
  });

  it('partitions have their own switch and queues', () => {
    const { partitions, queues } = read('several-partitions.yaml');
    expect(partitions.map(({ name, quotaPreemptionEnabled }) => [name, quotaPreemptionEnabled])).toEqual([
      ['default', false],
      ['gpu', true],
      ['spot-nodes', false],
    ]);
    expect(queues.find(({ path }) => path === 'root.training')).toMatchObject({
      partition: 'gpu',
      max: { memory: 1e11, vcore: 20_000 },
      guaranteed: { 'nvidia.com/gpu': 2 },
      delaySeconds: 600,
    });
  });

  it('amounts are in base units', () => {
    expect(read('whole-cluster.json').queues[1]).toMatchObject({
      path: 'root.etl',
      max: { 'ephemeral-storage': 2 * 2 ** 40, memory: 160e9, pods: 1000 },
      delaySeconds: 900,
    });
  });
});
