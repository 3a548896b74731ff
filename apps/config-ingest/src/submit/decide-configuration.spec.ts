import { describe, expect, it } from '@jest/globals';
import type { ConfigurationQueue } from '#configuration';
import type { EventData } from '#contracts';
import { decideConfiguration } from './decide-configuration.js';
import type { ReadSubmission, Sender } from './submission.js';

const queue = (path: string, memory: number, delayMs = 0) =>
  ({
    partition: 'Default',
    path,
    max: { memory },
    guaranteed: null,
    delayMs,
    parent: false,
  }) as unknown as ConfigurationQueue;

const unusual = { code: 'delay-unusual', path: 'root.a', message: 'a delay of 20 s is below 60 s' };
const unknownKey = { code: 'unknown-key', path: 'root.b', message: 'it is not known' };

const read = (queues: ConfigurationQueue[], warnings: object[] = []) =>
  ({
    valid: true,
    format: 'yunikorn',
    partitions: [{ name: 'Default', quotaPreemptionEnabled: true, policies: {} }],
    queues,
    warnings,
    errors: [],
    allowUnknownHelps: false,
    clusterSize: {},
  }) as unknown as ReadSubmission;

const decide = (result: ReadSubmission, sender: Sender = {}, before: ConfigurationQueue[] = []) =>
  decideConfiguration(
    'default',
    { configuration: undefined, queues: before },
    { text: 'partitions: …' },
    result,
    sender,
  );

const appliedBy = (...args: Parameters<typeof decide>) =>
  decide(...args).applied.data as EventData<'ConfigApplied'>;

describe('a decided configuration', () => {
  it('has an event of each queue whose quota changes, and none of another partition', () => {
    const other = { ...queue('root.x', 1), partition: 'gpu' } as ConfigurationQueue;
    const { followed, after } = decide(read([queue('root.a', 5), queue('root.b', 5), other]), {}, [
      queue('root.a', 9),
      queue('root.b', 5),
      queue('root.c', 5),
    ]);
    expect(followed.map(({ name, data }) => [name, 'queue' in data && data.queue])).toEqual([
      ['QuotaChanged', 'root.a'],
      ['QueueRemoved', 'root.c'],
    ]);
    expect(after.queues.map(({ path }) => path)).toEqual(['root.a', 'root.b']);
  });

  it('records warnings about unusual delays only for a sender over Kafka, who has no answer', () => {
    const result = read([queue('root.a', 5)], [unusual, unknownKey]);
    const codes = (sender: Sender) => appliedBy(result, sender).notices?.map(({ code }) => code);
    expect(codes({})).toEqual(['unknown-key']);
    expect(codes({ via: 'kafka', submission: 's-1' })).toEqual(['delay-unusual', 'unknown-key']);
    expect(decide(result).warnings.map(({ code }) => code)).toContain('delay-unusual');
  });

  it('records the notices of the sender first, and a thousand at most', () => {
    const warnings = Array.from({ length: 1500 }, () => unknownKey);
    const notices = [{ code: 'merged', message: 'two files were merged' }];
    const applied = appliedBy(read([queue('root.a', 5)], warnings), { notices });
    expect(applied.notices).toHaveLength(1000);
    expect(applied.notices?.[0]).toEqual({ ...notices[0], about: { kind: 'partition', name: 'default' } });
    expect(applied.notices?.[1]).toMatchObject({ path: 'root.b', message: 'root.b: it is not known' });
  });

  it('states who sent it, and leaves out what the sender did not state', () => {
    expect(appliedBy(read([]), { by: 'ada', rolledBackTo: 4 })).toMatchObject({
      by: 'ada',
      via: 'http',
      rolledBackTo: 4,
      previousQuotaPreemptionEnabled: null,
      quotaPreemptionEnabled: true,
    });
    const applied = appliedBy(read([]));
    expect(['by', 'submission', 'rolledBackTo', 'onlyQueue'].filter((key) => key in applied)).toEqual([]);
  });
});
