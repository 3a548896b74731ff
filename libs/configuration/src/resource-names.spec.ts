import { describe, expect, it } from '@jest/globals';
import { readConfiguration } from './read-configuration.js';
import { typeMeant } from './warnings.js';

describe('resource types', () => {
  it.each([
    ['vcore', ['vcores', 'VCORES', 'Vcore', 'cpu', 'CPU', 'cpus', 'vCPU', 'cores', 'requests.cpu']],
    ['memory', ['mem', 'MEM', 'Memory', 'memory-mb', 'memory_mb', 'ram', 'limits.memory']],
    ['nvidia.com/gpu', ['gpu', 'GPU', 'gpus', 'yarn.io/gpu', 'nvidia.com/GPU']],
    ['pods', ['pod', 'Pods']],
  ])('are called %s here, not by names of other systems', (meant, names) => {
    expect(names.map((name) => typeMeant(name))).toEqual(names.map(() => meant));
  });

  it.each([
    'vcore',
    'memory',
    'pods',
    'nvidia.com/gpu',
    'ephemeral-storage',
    'example.com/fpga',
    'amd.com/gpu',
  ])('may be called %s', (name) => {
    expect(typeMeant(name)).toBeUndefined();
  });

  it('are those of YARN in its own format', () => {
    expect(typeMeant('yarn.io/gpu', 'capacity-scheduler')).toBeUndefined();
    expect(typeMeant('gpu', 'capacity-scheduler')).toBe('yarn.io/gpu');
  });

  it('are those of the cluster, where they are known', () => {
    expect(typeMeant('gpu', 'yunikorn', new Set(['vcore', 'amd.com/gpu']))).toBe('amd.com/gpu');
    const text =
      'partitions: [{queues: [{name: a, resources: {max: {CPU: 1, gpu: 1}, guaranteed: {mem: 1}}}]}]';
    const found = (knownResourceTypes?: ReadonlySet<string>) =>
      readConfiguration(text, knownResourceTypes ? { knownResourceTypes } : {})
        .warnings.filter(({ code }) => code === 'unknown-resource-type')
        .map(({ code, message }) => `${code}: ${message}`);
    const nothing = (type: string, meant: string) =>
      `unknown-resource-type: nothing has a resource "${type}", so this limits and guarantees nothing; write ${meant}`;
    expect(found()).toEqual([
      nothing('CPU', 'vcore'),
      nothing('gpu', 'nvidia.com/gpu'),
      nothing('mem', 'memory'),
    ]);
    expect(found(new Set(['CPU', 'gpu']))).toEqual([nothing('mem', 'memory')]);
  });
});
