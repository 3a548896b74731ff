import { InputError } from '@curtail/contracts';
import { plan, readSettings, readSnapshot, readTrigger } from '@curtail/planning';
import { describe, expect, it } from '@jest/globals';

function pathOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof InputError) return error.path;
    throw error;
  }
  return 'no error';
}

const DEFAULTS = {
  explain: false,
  protect: { queues: [], applications: [], users: [], allocations: [], priorityAtLeast: null },
  victimOrder: 'preference',
  nodeAware: false,
  fit: 'cover',
  miss: 0,
  feasibility: 'best-effort',
  timerPolicy: 'restart',
  onRestart: 'keep',
  afterRun: 'reschedule',
  delayInheritance: true,
  quotaPreemptionEnabled: null,
};

describe('settings', () => {
  it('have their defaults where absent or null', () => {
    expect(readSettings()).toEqual(DEFAULTS);
    expect(readSettings(null)).toEqual(DEFAULTS);
    expect(readSettings(Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, null])))).toEqual(
      DEFAULTS,
    );
    expect(readSettings({ protect: { users: null, queues: ['root.a'] } }).protect).toEqual({
      ...DEFAULTS.protect,
      queues: ['root.a'],
    });
  });
  it('can be read again', () => {
    const settings = readSettings({
      fit: 'within',
      quotaPreemptionEnabled: false,
      protect: { priorityAtLeast: 5 },
    });
    expect(readSettings(settings)).toEqual(settings);
  });
  it.each([
    [{ mis: 5 }, 'settings.mis'],
    [{ constructor: 1 }, 'settings.constructor'],
    [{ maxAllowableLimit: 0.2 }, 'settings.maxAllowableLimit'],
    [{ miss: -1 }, 'settings.miss'],
    [{ miss: 101 }, 'settings.miss'],
    [{ miss: 0.5 }, 'settings.miss'],
    [{ miss: '15' }, 'settings.miss'],
    [{ fit: 'Cover' }, 'settings.fit'],
    [{ victimOrder: 'closest' }, 'settings.victimOrder'],
    [{ feasibility: true }, 'settings.feasibility'],
    [{ timerPolicy: 'keep' }, 'settings.timerPolicy'],
    [{ onRestart: 'reschedule' }, 'settings.onRestart'],
    [{ afterRun: 'restart' }, 'settings.afterRun'],
    [{ delayInheritance: 'true' }, 'settings.delayInheritance'],
    [{ quotaPreemptionEnabled: 0 }, 'settings.quotaPreemptionEnabled'],
    [{ nodeAware: 1 }, 'settings.nodeAware'],
    [{ explain: 'yes' }, 'settings.explain'],
    [{ protect: [] }, 'settings.protect'],
    [{ protect: { queue: [] } }, 'settings.protect.queue'],
    [{ protect: { users: 'ann' } }, 'settings.protect.users'],
    [{ protect: { users: ['ann', 7] } }, 'settings.protect.users[1]'],
    [{ protect: { priorityAtLeast: '9' } }, 'settings.protect.priorityAtLeast'],
    [[], 'settings'],
    ['cover', 'settings'],
  ])('%j is refused at %s', (settings, path) => {
    expect(pathOf(() => readSettings(settings))).toBe(path);
  });
});

describe('a trigger', () => {
  const good = { policy: 'quota-decrease', queue: 'root' };
  it.each([
    [{ ...good, previousMax: { memory: 'any' }, surprise: 1 }, 'no error'],
    [{ ...good, target: null }, 'no error'],
    [null, 'trigger'],
    [{ queue: 'root' }, 'trigger.policy'],
    [{ ...good, policy: 'intra-queue' }, 'trigger.policy'],
    [{ policy: 'quota-decrease' }, 'trigger.queue'],
    [{ ...good, queue: '' }, 'trigger.queue'],
    [{ ...good, target: [] }, 'trigger.target'],
    [{ ...good, target: { memory: -1 } }, 'trigger.target.memory'],
    [{ ...good, target: { memory: 0.5 } }, 'trigger.target.memory'],
    [{ ...good, target: { memory: 2 ** 53 } }, 'trigger.target.memory'],
  ])('%j: %s', (trigger, path) => {
    expect(pathOf(() => readTrigger(trigger))).toBe(path);
  });
  it('for an unknown queue is refused', () => {
    const snapshot = readSnapshot({ queues: [{ path: 'root' }], applications: [], allocations: [] });
    expect(pathOf(() => plan(snapshot, good))).toBe('no error');
    expect(pathOf(() => plan(snapshot, { ...good, queue: 'root.a' }))).toBe('trigger.queue');
  });
});
