import { describe, expect, it } from '@jest/globals';
import { readConfiguration } from './read-configuration.js';

const withPolicies = (policies: string) =>
  readConfiguration(`partitions:
  - name: default
    preemption:
      policies: ${policies}
    queues: []
`);

describe('policies of a partition', () => {
  it('are those that are named, with their settings as JSON values', () => {
    const { partitions } = withPolicies(
      '{intra-queue: {maxAllowableLimit: 0.2, observeOnly: true, minimumAllocation: {memory: 1024}, cooldown: ~}, fair-share: }',
    );
    expect(partitions[0]?.policies).toEqual({
      'intra-queue': { maxAllowableLimit: 0.2, observeOnly: true, minimumAllocation: { memory: 1024 } },
      'fair-share': {},
    });
    expect(readConfiguration('partitions: [{queues: []}]').partitions[0]?.policies).toEqual({});
  });

  it.each([
    ['[intra-queue]', 'partitions[0].preemption.policies', 'a mapping is expected here'],
    ['{inter-queue: {}}', 'partitions[0].preemption.policies.inter-queue', 'intra-queue and fair-share'],
    ['{intra-queue: 5}', 'partitions[0].preemption.policies.intra-queue', 'settings are a mapping'],
    ['{fair-share: {a: [.nan]}}', 'partitions[0].preemption.policies.fair-share.a[0]', 'write digits'],
  ])('cannot be %s', (written, path, message) => {
    const { errors } = withPolicies(written);
    expect(errors).toEqual([
      { path, message: expect.stringContaining(message), line: 4, column: expect.any(Number) },
    ]);
  });
});
