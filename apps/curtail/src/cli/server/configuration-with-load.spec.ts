import { describe, expect, it } from '@jest/globals';
import type { QueueWork } from '#api-client';
import { readConfiguration } from '#configuration';
import { withLoadQuotas } from './configuration-with-load.js';

const inForce = `# ours
partitions:
  - name: default
    preemption:
      quotapreemptionenabled: true
    queues:
      - name: root
        queues:
          - name: research # stays
            resources:
              max: {memory: 10G}
`;
const work: Pick<QueueWork, 'queue' | 'usage'>[] = [
  { queue: 'root.load.g0.q0', usage: { memory: 8_100_000_000, vcore: 2500, 'nvidia.com/gpu': 1 } },
  { queue: 'root.load.g1.q1', usage: { memory: 4_000_000_000 } },
];
const quotas = (text: string) =>
  Object.fromEntries(
    readConfiguration(text).queues.map(({ path, max, delaySeconds }) => [path, { max, delaySeconds }]),
  );

describe('a configuration with what was loaded', () => {
  it('has a quota above the usage of each queue, and a delay where none was', () => {
    expect(quotas(withLoadQuotas(inForce, 'default', 'root.load', work))).toMatchObject({
      'root.load.g0.q0': { max: { memory: 11e9, vcore: 4000, 'nvidia.com/gpu': 2 }, delaySeconds: 60 },
      'root.load.g1.q1': { max: { memory: 5e9 }, delaySeconds: 60 },
    });
  });

  it('leaves all else as it is', () => {
    const text = withLoadQuotas(inForce, 'default', 'root.load', work);
    expect(text).toContain('# ours');
    expect(text).toContain('- name: research # stays');
    expect(quotas(text)['root.research']).toEqual({ max: { memory: 10e9 }, delaySeconds: 0 });
  });

  it('takes the delay that it finds, and puts new queues in the place of old ones', () => {
    const delayed = inForce.replace(
      '- name: root\n',
      '- name: root\n        resources: {quota.preemption.delay: 90}\n',
    );
    const once = withLoadQuotas(delayed, 'default', 'root.load', work);
    const twice = quotas(
      withLoadQuotas(once, 'default', 'root.load', [{ queue: 'root.load.q9', usage: { memory: 4e9 } }]),
    );
    expect(twice['root.load.q9']).toEqual({ max: { memory: 5e9 }, delaySeconds: 90 });
    expect(Object.keys(twice)).not.toContain('root.load.g0.q0');
  });

  it('finds queues of a partition that has no root of its own, and JSON', () => {
    const text = '{"partitions": [{"name": "GPU", "queues": [{"name": "load"}]}]}';
    expect(quotas(withLoadQuotas(text, 'gpu', 'root.load', work))).toHaveProperty(['root.load.g1.q1']);
  });
});
