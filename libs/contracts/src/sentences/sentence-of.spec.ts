import { describe, expect, it } from '@jest/globals';
import { sentenceOf } from './sentence-of.js';

describe('the sentence of an event', () => {
  it('counts things as people do', () => {
    const applied = (queues: number) => sentenceOf('ConfigApplied', { queues, changed: 0 });
    expect(applied(1)).toBe('a configuration of 1 queue is in force, 0 changed');
    expect(applied(2)).toBe('a configuration of 2 queues is in force, 0 changed');
    const refused = (errors: unknown[]) => sentenceOf('ConfigRefused', { errors });
    expect(refused([{}])).toBe('a configuration was refused: 1 error');
    expect(refused([{}, {}])).toBe('a configuration was refused: 2 errors');
  });

  it.each([
    [
      'QuotaChanged',
      {
        previous: { max: { memory: 200e9, vcore: 50_000 }, delayMs: 20_000 },
        current: { max: { memory: 120e9, vcore: 50_000, 'nvidia.com/gpu': 4 }, delayMs: 60_000 },
      },
      'max: 200 GB memory becomes 120 GB memory; max: no limit of nvidia.com/gpu becomes 4 nvidia.com/gpu; delay: 20 s becomes 60 s',
    ],
    [
      'QuotaChanged',
      {
        previous: { max: { memory: 1e9 }, delayMs: 0 },
        current: { max: { memory: 1e9 }, delayMs: 20_000 },
      },
      'delay: off becomes 20 s',
    ],
    [
      'QuotaChanged',
      {
        previous: { max: null, delayMs: 0 },
        current: { max: { memory: 1e9 }, delayMs: 0, maxShare: '1/4' },
      },
      'max: fixed amounts becomes 25 % of the cluster; max: no limit of memory becomes 1 GB memory',
    ],
    [
      'PlanRejected',
      { enforcement: 'e-1', by: 'root', reason: 'too many' },
      'user root rejected run e-1: too many',
    ],
    ['PlanApproved', { enforcement: 'e-1', by: 'ann' }, 'user ann approved run e-1'],
    ['CancelRequested', { enforcement: 'e-1', by: 'ann' }, 'user ann cancelled run e-1'],
    [
      'FreezeSet',
      { by: 'ann', queue: 'root.a', window: { from: 'noon', until: 'midnight' }, reason: 'release' },
      'user ann froze root.a from noon until midnight: release',
    ],
    [
      'FreezeSet',
      {
        by: 'ann',
        queue: null,
        window: { start: 'noon', timeZone: 'Europe/Berlin', duration: 'PT8H', rule: 'FREQ=DAILY' },
      },
      'user ann froze the partition from noon (Europe/Berlin) for PT8H each time, by the rule FREQ=DAILY',
    ],
    ['FreezeCleared', { by: 'ann', freezes: [{ freeze: 'f-1', queue: null }] }, 'user ann cleared 1 freeze'],
    ['KillSwitchSet', { by: 'root', queue: null }, 'user root stopped all evictions of the partition'],
    [
      'EnforcementCancelled',
      { cause: 'operator', by: 'ann', dueAt: 'noon' },
      'user ann cancelled the run that was due at noon',
    ],
    [
      'EnforcementCancelled',
      { cause: 'quota-raised', dueAt: 'noon' },
      'the clock that was due at noon ended without a run (quota raised)',
    ],
    [
      'EnforcementSkipped',
      { cause: 'running', enforcement: 'e-1' },
      'a run is in progress (e-1) and continues; the change is judged when it ends',
    ],
    [
      'EnforcementSkipped',
      {
        cause: 'suspended',
        notices: [{ message: 'root.a: the enforcement due at noon is suspended: why.' }],
      },
      'root.a: the enforcement due at noon is suspended: why.',
    ],
    ['EnforcementSkipped', { cause: 'dynamic' }, 'no run follows (dynamic)'],
  ])('names users and causes: %s %j', (name, data, sentence) => {
    expect(sentenceOf(name, data)).toBe(sentence);
  });
});
