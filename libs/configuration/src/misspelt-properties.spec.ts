import { describe, expect, it } from '@jest/globals';
import { propertyMeant } from './misspelt-properties.js';
import { readConfiguration } from './read-configuration.js';

describe('a property of a queue whose name is nearly a known one', () => {
  it.each([
    ['quota.preemption.dealy', 'quota.preemption.delay'],
    ['Quota.Preemption.Delay', 'quota.preemption.delay'],
    ['quota_preemption_delay', 'quota.preemption.delay'],
    ['quota-preemption-delay', 'quota.preemption.delay'],
    ['quotaPreemptionDelay', 'quota.preemption.delay'],
    ['quota.preemption.delay ', 'quota.preemption.delay'],
    ['quota.premption.delay', 'quota.preemption.delay'],
    ['quota.preempt.delay', 'quota.preemption.delay'],
    // YuniKorn also has preemption.delay.
    ['quotas.preemption.delay', 'quota.preemption.delay'],
    ['qouta.preemption.delay', 'quota.preemption.delay'],
    ['queue.preemption.delay', 'quota.preemption.delay'],
    [' quota.preemption.delay', 'quota.preemption.delay'],
    // Nothing else begins with it.
    ['quota.preemption', 'quota.preemption.delay'],
    ['quota.preemption.timeout', 'quota.preemption.delay'],
    ['quota.preemption.delay.seconds', 'quota.preemption.delay'],
    ['quota.preemption.enabled', 'quota.preemption.delay'],
    ['preemption.quota.delay', 'quota.preemption.delay'],
    ['quota.preemption.min-run', 'quota.preemption.min.run'],
    ['quota.preemption.minRun', 'quota.preemption.min.run'],
    ['quota.preemption.shares', 'quota.preemption.share'],
    ['quota.preemption.limits', 'quota.preemption.limit'],
    ['curtial.protect', 'curtail.protect'],
    ['Curtail.protect', 'curtail.protect'],
    ['curtail_protect', 'curtail.protect'],
    ['curtailProtect', 'curtail.protect'],
    ['curtail-victims-per-second', 'curtail.victimsPerSecond'],
    ['cutail.freeze', 'curtail.freeze'],
    ['application.sort.polcy', 'application.sort.policy'],
    ['priority-offset', 'priority.offset'],
    ['preemption.policies', 'preemption.policy'],
  ])('%s is taken for %s', (name, meant) => {
    expect(propertyMeant(name)).toBe(meant);
  });

  it.each([
    ...['application.sort.policy', 'application.sort.priority', 'priority.policy', 'priority.offset'],
    ...['preemption.policy', 'preemption.delay', 'quota.preemption.delay', 'quota.preemption.min.run'],
    ...['quota.preemption.share', 'quota.preemption.limit', 'curtail.miss', 'curtail.freeze'],
    ...['owner', 'team', 'cost.center', 'priority.class', 'priority.order', 'quota', 'quota.owner', 'delay'],
    ...[
      'preemption',
      'preemption.enabled',
      'example.com/contact',
      'a.quota.preemption.delay',
      'my.preemption.delay',
      'x',
      '',
      '.',
    ],
  ])('%j is known, or another one', (name) => {
    expect(propertyMeant(name)).toBeUndefined();
  });

  it('is a warning at its line, of queues, of the root and of templates', () => {
    const { valid, warnings } = readConfiguration(`partitions:
  - queues:
      - name: root
        properties: {curtial.protect: true, team: a}
        queues:
          - name: day
            properties:
              quota.preemption.dealy: 5m
          - name: night
            childtemplate: {properties: {quota_preemption_delay: 5m}}
`);
    expect(valid).toBe(true);
    const queues = 'partitions[0].queues[0]';
    const named = (path: string, line: number, meant: string, name: string) =>
      expect.objectContaining({
        code: 'misspelt-property',
        path: `${queues}.${path}`,
        line,
        message: expect.stringContaining(`write ${meant}, if`),
        about: { kind: 'queue', name },
      });
    expect(warnings).toEqual([
      named('properties."curtial.protect"', 4, 'curtail.protect', 'root'),
      named('queues[0].properties."quota.preemption.dealy"', 8, 'quota.preemption.delay', 'root.day'),
      named(
        'queues[1].childtemplate.properties.quota_preemption_delay',
        10,
        'quota.preemption.delay',
        'root.night',
      ),
    ]);
  });
});
