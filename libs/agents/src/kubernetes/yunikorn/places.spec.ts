import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import {
  readYunikornApplications,
  readYunikornPartitions,
  readYunikornQueues,
} from '../../yunikorn/answers.js';
import { QueuePlaces } from './places.js';
import { preemptionTwice } from './read-yunikorn.js';

const answer = (name: string) => JSON.parse(readFileSync(`test/clusters/yunikorn/${name}`, 'utf8'));
const applications = () => readYunikornApplications(answer('applications-active.json'), 'default');
const all = () => true;
const waiting = '3b0f4849-1027-4330-9f50-1e6a2840b3f6';
const running = '8cbd2589-ae8c-4a09-8170-eafc64b596bb';

describe('places of pods by YuniKorn', () => {
  it('are those of its allocations and of its requests', () => {
    const places = new QueuePlaces();
    expect(places.take(new Map([['default', applications()]]), all)).toHaveLength(6);
    const application = { id: 'spark-1', user: 'nobody', submittedAt: '2026-11-21T13:51:16.000Z' };
    expect(places.get(running)).toMatchObject({
      partition: 'default',
      queue: 'root.prod',
      application: { ...application, submittedAt: expect.any(String) },
      node: 'n2',
    });
    expect(places.get(waiting)).toMatchObject({ queue: 'root.dev', role: 'originator' });
    expect(places.get(waiting)).not.toHaveProperty('node');
  });

  it('are reported when they have changed, and only then', () => {
    const places = new QueuePlaces();
    places.take(new Map([['default', applications()]]), all);
    expect(places.take(new Map([['default', applications()]]), all)).toEqual([]);
    const moved = applications();
    moved[1] = { ...moved[1]!, queue: 'root.other' };
    expect(places.take(new Map([['default', moved]]), all)).toContain(running);
    expect(places.get(running)?.queue).toBe('root.other');
  });

  it('hold as long as the pod is there, also while YuniKorn knows a part of the pods only', () => {
    const places = new QueuePlaces();
    places.take(new Map([['default', applications()]]), all);
    expect(places.take(new Map([['default', []]]), (uid) => uid === running)).toEqual([]);
    expect(places.get(running)).toMatchObject({ queue: 'root.prod' });
    expect(places.size).toBe(1);
  });

  it('know placeholders, and pods that belong to a node, before originators', () => {
    const places = new QueuePlaces();
    const [one] = applications();
    const base = { ...one!.allocations[0]!, originator: true };
    const allocations = [
      { ...base, uid: 'a', placeholder: true },
      { ...base, uid: 'b', isBoundToNode: true },
      { ...base, uid: 'c' },
    ];
    places.take(new Map([['default', [{ ...one!, allocations, requests: [] }]]]), all);
    expect(['a', 'b', 'c'].map((uid) => places.get(uid)?.role)).toEqual([
      'placeholder',
      'daemon',
      'originator',
    ]);
  });
});

describe('answers of YuniKorn', () => {
  it('right after its start have no partition', () => {
    expect(readYunikornPartitions([], 'partitions')).toEqual([]);
    expect(readYunikornPartitions(answer('partitions.json'), 'partitions')).toEqual([
      { name: 'default', quotaPreemptionEnabled: false },
    ]);
  });

  it.each([
    [{}, 'default', 'a list is expected'],
    [
      [{ applicationID: 'a', queueName: 'root.a', submissionTime: 'now' }],
      'default[0].submissionTime',
      'a time',
    ],
    [
      [{ applicationID: 'a', queueName: 'root.a', submissionTime: 1.7e18, allocations: [{}] }],
      'default[0].allocations[0].allocationKey',
      'a string is expected here, not nothing',
    ],
  ])('that are wrong are refused with the field: %j', (value, path, message) => {
    expect(() => readYunikornApplications(value, 'default')).toThrow(
      expect.objectContaining({ path, message: expect.stringContaining(message) }),
    );
  });

  it('show whether YuniKorn would evict as well: switched on, and with a delay', () => {
    const queues = readYunikornQueues(answer('queues.json'), 'queues');
    const on = { name: 'default', quotaPreemptionEnabled: true };
    expect(preemptionTwice(on, queues)).toBeUndefined();
    const late = queues.map((queue) => ({ ...queue, quotaPreemptionDelay: '30s' }));
    expect(preemptionTwice({ ...on, quotaPreemptionEnabled: false }, late)).toBeUndefined();
    expect(preemptionTwice(on, late)?.message).toContain('root 30s, root.prod 30s, root.dev 30s');
  });
});
