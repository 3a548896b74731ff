import { expect, it } from '@jest/globals';
import { readConfiguration } from '#configuration';
import { withSwitch } from './submission.js';

const q = 'yarn.scheduler.capacity.root.';
const read = (labels: Record<string, string>) =>
  readConfiguration({
    json: {
      [`${q}queues`]: 'a',
      [`${q}a.capacity`]: '100',
      [`${q}a.quota-preemption-delay`]: '0',
      ...labels,
    },
  });

it('a sender may switch a partition on, unless it has node labels', () => {
  const on = (labels: Record<string, string>) =>
    withSwitch(read(labels), 'default', true).map(({ quotaPreemptionEnabled }) => quotaPreemptionEnabled);
  expect(on({})).toEqual([true]);
  expect(on({ [`${q}accessible-node-labels.GPU.capacity`]: '100' })).toEqual([false]);
});
