import { describe, expect, it } from '@jest/globals';
import { InputError } from '../input-error.js';
import { readDecreaseSettings } from './settings.js';

function failure(input: unknown): InputError {
  try {
    readDecreaseSettings(input);
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
  throw new Error('was accepted');
}

const defaults = {
  explain: false,
  protect: { queues: [], applications: [], users: [], allocations: [], priorityAtLeast: null },
  victimOrder: 'preference',
  nodeAware: false,
  fit: 'cover',
  miss: 0,
  feasibility: 'best-effort',
  minRunSeconds: 0,
  ageFrom: 'start',
  disruptionBudgets: 'respect',
  ownerBudgets: [],
  gangs: 'whole',
  timerPolicy: 'restart',
  onRestart: 'keep',
  afterRun: 'reschedule',
  reconcile: 'notify',
  guaranteedTypes: 'all',
  retryUnblocked: true,
  delayInheritance: true,
  guaranteedEqualsMax: 'refuse',
  quotaPreemptionEnabled: undefined,
};

describe('readSettings', () => {
  it.each([[undefined], [null], [{}]])('gives the defaults for %p', (input) => {
    expect(readDecreaseSettings(input)).toEqual(defaults);
  });

  it('reads null as the default, for every setting', () => {
    const nulls = Object.fromEntries(Object.keys(defaults).map((name) => [name, null]));
    expect(readDecreaseSettings(nulls)).toEqual(defaults);
  });

  it('keeps every value that is in its list', () => {
    const given = {
      explain: true,
      protect: {
        queues: ['root.a'],
        applications: ['x'],
        users: ['u'],
        allocations: ['1'],
        priorityAtLeast: 5,
      },
      victimOrder: 'closest-match',
      nodeAware: true,
      fit: 'within',
      miss: 100,
      feasibility: 'all-or-nothing',
      minRunSeconds: 9_223_369_200,
      ageFrom: 'checkpoint',
      disruptionBudgets: 'last',
      ownerBudgets: [{ per: 'user', victims: 0, seconds: 9_223_369_200 }],
      gangs: 'spare',
      timerPolicy: 'shift',
      onRestart: 'restart',
      afterRun: 'ignore',
      reconcile: 'enforce',
      delayInheritance: false,
      guaranteedEqualsMax: 'allow',
      guaranteedTypes: 'lowered' as const,
      retryUnblocked: false,
      quotaPreemptionEnabled: false,
    };
    expect(readDecreaseSettings(given)).toEqual(given);
    expect(readDecreaseSettings({ timerPolicy: 'keep-earliest' }).timerPolicy).toBe('keep-earliest');
  });

  it.each([
    [[], 'settings'],
    ['none', 'settings'],
    [{ timerpolicy: 'restart' }, 'settings.timerpolicy'],
    [JSON.parse('{"__proto__": {}}'), 'settings.__proto__'],
    [{ constructor: 1 }, 'settings.constructor'],
    [{ explain: 'yes' }, 'settings.explain'],
    [{ nodeAware: 1 }, 'settings.nodeAware'],
    [{ delayInheritance: 'false' }, 'settings.delayInheritance'],
    [{ guaranteedEqualsMax: true }, 'settings.guaranteedEqualsMax'],
    [{ guaranteedTypes: 'none' }, 'settings.guaranteedTypes'],
    [{ retryUnblocked: 'on' }, 'settings.retryUnblocked'],
    [{ quotaPreemptionEnabled: 'true' }, 'settings.quotaPreemptionEnabled'],
    [{ victimOrder: 'youngest' }, 'settings.victimOrder'],
    [{ fit: '' }, 'settings.fit'],
    [{ feasibility: true }, 'settings.feasibility'],
    [{ timerPolicy: 'Restart' }, 'settings.timerPolicy'],
    [{ onRestart: 'ignore' }, 'settings.onRestart'],
    [{ afterRun: 'restart' }, 'settings.afterRun'],
    [{ reconcile: 'always' }, 'settings.reconcile'],
    [{ miss: -1 }, 'settings.miss'],
    [{ miss: 101 }, 'settings.miss'],
    [{ miss: 1.5 }, 'settings.miss'],
    [{ miss: '15' }, 'settings.miss'],
    [{ minRunSeconds: -1 }, 'settings.minRunSeconds'],
    [{ minRunSeconds: 0.5 }, 'settings.minRunSeconds'],
    [{ minRunSeconds: 9_223_369_201 }, 'settings.minRunSeconds'],
    [{ minRunSeconds: '60' }, 'settings.minRunSeconds'],
    [{ ageFrom: 'save' }, 'settings.ageFrom'],
    [{ disruptionBudgets: 'first' }, 'settings.disruptionBudgets'],
    [{ gangs: 'half' }, 'settings.gangs'],
    [{ ownerBudgets: {} }, 'settings.ownerBudgets'],
    [{ ownerBudgets: [null] }, 'settings.ownerBudgets[0]'],
    [{ ownerBudgets: [3] }, 'settings.ownerBudgets[0]'],
    [{ ownerBudgets: [{ per: 'group', victims: 1, seconds: 1 }] }, 'settings.ownerBudgets[0].per'],
    [{ ownerBudgets: [{ victims: 1, seconds: 1 }] }, 'settings.ownerBudgets[0].per'],
    [{ ownerBudgets: [{ per: 'user', seconds: 1 }] }, 'settings.ownerBudgets[0].victims'],
    [{ ownerBudgets: [{ per: 'user', victims: null, seconds: 1 }] }, 'settings.ownerBudgets[0].victims'],
    [{ ownerBudgets: [{ per: 'user', victims: -1, seconds: 1 }] }, 'settings.ownerBudgets[0].victims'],
    [{ ownerBudgets: [{ per: 'user', victims: 1.5, seconds: 1 }] }, 'settings.ownerBudgets[0].victims'],
    [{ ownerBudgets: [{ per: 'user', victims: 1 }] }, 'settings.ownerBudgets[0].seconds'],
    [
      { ownerBudgets: [{ per: 'user', victims: 1, seconds: 9_223_369_201 }] },
      'settings.ownerBudgets[0].seconds',
    ],
    [{ ownerBudgets: [{ per: 'user', victims: 1, seconds: 1, of: 2 }] }, 'settings.ownerBudgets[0].of'],
    [{ protect: ['root.a'] }, 'settings.protect'],
    [{ protect: { queue: ['root.a'] } }, 'settings.protect.queue'],
    [{ protect: { queues: 'root.a' } }, 'settings.protect.queues'],
    [{ protect: { users: ['u', 7] } }, 'settings.protect.users[1]'],
    [{ protect: { priorityAtLeast: '5' } }, 'settings.protect.priorityAtLeast'],
  ])('refuses %j at %s', (input, path) => {
    expect(failure(input).path).toBe(path);
  });

  it('refuses a list that is too long', () => {
    const names = Array.from({ length: 100_000 }, () => 'a');
    expect(readDecreaseSettings({ protect: { allocations: names } }).protect.allocations).toHaveLength(
      100_000,
    );
    expect(failure({ protect: { allocations: [...names, 'b'] } }).path).toBe('settings.protect.allocations');
  });

  it('shows what would be right', () => {
    expect(failure({ timerPolicy: 'reset' }).message).toBe(
      'it is "reset"; it must be one of "restart", "keep-earliest", "shift"',
    );
    expect(failure({ mis: 15 }).message).toContain('miss');
  });
});
