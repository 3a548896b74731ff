import { describe, expect, it } from '@jest/globals';
import { readConfiguration } from './read-configuration.js';

const prod = { path: 'root.prod', max: { memory: 64 * 2 ** 30 }, delaySeconds: 60 };

describe("YuniKorn's answer on /ws/v1/config", () => {
  it('is read in YAML, without a warning about what is beside the partitions', () => {
    const { errors, warnings, queues } = readConfiguration(`partitions:
    - name: default
      queues:
        - name: root
          parent: true
          submitacl: '*'
          queues:
            - name: prod
              resources: {max: {memory: 64Gi}}
              properties: {quota.preemption.delay: 1m}
checksum: A57086069BD6E25151F5D57721A06B1495C251B83F4920ED95D216FE0AD5BC04
extra:
    event.trackingEnabled: "true"
deadlockdetectionenabled: false
deadlocktimeoutseconds: 60
`);
    // The answer has no switch.
    expect({ errors, warnings: warnings.map(({ code }) => code) }).toEqual({
      errors: [],
      warnings: ['nothing-enforced'],
    });
    expect(queues[1]).toMatchObject(prod);
  });

  const answer = {
    Partitions: [
      {
        Name: 'default',
        Queues: [
          {
            Name: 'root',
            Parent: true,
            Resources: {},
            SubmitACL: '*',
            ChildTemplate: { MaxApplications: 3, Resources: { Max: { memory: '1Gi' } } },
            Queues: [
              {
                Name: 'prod',
                Resources: { Max: { memory: '64Gi' } },
                Properties: { 'quota.preemption.delay': '1m' },
                Limits: [{ Limit: 'one user', Users: ['*'], MaxResources: { vcore: '1' } }],
              },
            ],
          },
        ],
        PlacementRules: [
          { Name: 'fixed', Parent: { Name: 'user', Filter: { Type: '' } }, Filter: { Type: '' } },
        ],
        Preemption: { Enabled: true, QuotaPreemptionEnabled: true },
        NodeSortPolicy: { Type: '' },
        UserGroupResolver: {},
      },
    ],
    Checksum: 'A5',
    Extra: { 'event.trackingEnabled': 'true' },
    DeadlockDetectionEnabled: false,
    DeadlockTimeoutSeconds: 60,
  };

  it('is read in JSON, where keys are written otherwise', () => {
    for (const input of [JSON.stringify(answer), { json: answer }]) {
      const { errors, warnings, partitions, queues } = readConfiguration(input);
      expect({ errors, warnings }).toEqual({ errors: [], warnings: [] });
      expect(partitions[0]?.quotaPreemptionEnabled).toBe(true);
      expect(queues[1]).toMatchObject(prod);
    }
  });

  it('keeps an unknown key unknown', () => {
    const newer = { ...answer, Partitions: [{ ...answer.Partitions[0], Quantum: 1 }] };
    expect(readConfiguration(JSON.stringify(newer))).toMatchObject({
      errors: [{ path: 'partitions[0].Quantum' }],
      allowUnknownHelps: true,
    });
  });
});
