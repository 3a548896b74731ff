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
      'PlanRejected',
      { enforcement: 'e-1', by: 'root', reason: 'too many' },
      'user root rejected run e-1: too many',
    ],
    ['PlanApproved', { enforcement: 'e-1', by: 'ann' }, 'user ann approved run e-1'],
    ['CancelRequested', { enforcement: 'e-1', by: 'ann' }, 'user ann cancelled run e-1'],
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
      { cause: 'suspended' },
      'its clock is suspended: enforcement is off, or evictions are stopped',
    ],
    ['EnforcementSkipped', { cause: 'dynamic' }, 'no run follows (dynamic)'],
  ])('names users and causes: %s %j', (name, data, sentence) => {
    expect(sentenceOf(name, data)).toBe(sentence);
  });
});
