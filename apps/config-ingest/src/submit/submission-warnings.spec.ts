import { expect, it } from '@jest/globals';
import { readConfiguration } from '#configuration';
import { warningsOf } from './submission-warnings.js';

it('ends the sentence of a warning that stands for several', async () => {
  const queue = (name: string) =>
    `{name: ${name}, properties: {quota.preemption.delay: 2m}, resources: {guaranteed: {memory: 1G}, max: {memory: 1G}}}`;
  const text = `partitions:
- name: default
  preemption: {quotapreemptionenabled: true}
  queues:
  - {name: root, queues: [${queue('a')}, ${queue('b')}]}
`;
  const result = readConfiguration(text, { guaranteedEqualsMax: 'allow' });
  expect(result.errors).toEqual([]);
  const [warning] = warningsOf({ ...result, clusterSize: {} }, 'default', {
    enabled: true,
    queues: [],
  }).filter(({ code }) => code === 'guaranteed-equals-max');
  expect(warning!.message).toMatch(
    /is to go\. 1 more guaranteed amount equals max; curtail validate lists them\.$/,
  );
});
