import { describe, expect, it } from '@jest/globals';
import { type ClusterSnapshot, InputError } from '#contracts';
import { planGiven } from '#planning';
import { inQueue } from '../../test/in-queue.js';

const good = (): ClusterSnapshot =>
  inQueue([
    { id: 'app1', has: 3 },
    { id: 'app2', priority: 2, wants: 1 },
  ]);

/** The error, which names the field and what would be right. */
function failure(input: { snapshot?: unknown; trigger?: unknown; settings?: unknown }): InputError {
  try {
    planGiven({ snapshot: good(), trigger: { policy: 'intra-queue' }, ...input });
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
  throw new Error('was accepted');
}

describe('a setting', () => {
  it.each([
    ['preemptionOrderPolicy', 'fair', '"userlimit-first" or "priority-first"'],
    ['preemptionOrderPolicy', 1, '"userlimit-first" or "priority-first"'],
    ['resourceCalculator', 'Dominant', '"default", "dominant"'],
    ['maxAllowableLimit', 1.1, 'from 0 to 1'],
    ['maxAllowableLimit', -0.1, 'from 0 to 1'],
    ['totalPreemptionPerRound', 20, 'from 0 to 1'],
    ['totalPreemptionPerRound', '0.1', 'from 0 to 1'],
    ['minimumThreshold', -1, 'at least 0'],
    ['maxWaitBeforeKill', -1, 'whole number'],
    ['maxWaitBeforeKill', 0.5, 'whole number'],
    ['monitoringInterval', 0, 'at least 1'],
    ['cooldown', 1.5, 'whole number'],
    ['enabled', 'true', 'true or false'],
    ['conservativeDrf', 1, 'true or false'],
    ['observeOnly', 'no', 'true or false'],
    ['fitAware', 0, 'true or false'],
    ['surprise', 1, 'the known ones are'],
  ])('%s %p', (name, value, right) => {
    const error = failure({ settings: { [name]: value } });
    expect(error.path).toBe(`settings.${name}`);
    expect(error.message).toContain(right);
  });
  it('with a broken amount', () => {
    expect(failure({ settings: { minimumAllocation: { memory: -1 } } }).path).toBe(
      'settings.minimumAllocation.memory',
    );
    expect(failure({ settings: { minimumAllocation: 5 } }).path).toBe('settings.minimumAllocation');
  });
  it.each(['priority_first', 'Priority-First', 'USERLIMIT_FIRST', null])(
    'the order policy %p is fine',
    (policy) => {
      expect(() => failure({ settings: { preemptionOrderPolicy: policy } })).toThrow('was accepted');
    },
  );
});

describe('a trigger', () => {
  it.each(['root', 'root.nowhere'])('for the queue %s', (queue) => {
    expect(failure({ trigger: { policy: 'intra-queue', queue } }).path).toBe('trigger.queue');
  });
});

describe('a property of a queue', () => {
  it.each<[string, unknown, string?]>([
    ['minimumUserLimitPercent', 101],
    ['minimumUserLimitPercent', -1],
    ['minimumUserLimitPercent', '50'],
    ['userLimitFactor', -0.5],
    ['userWeights', { alice: -1 }, 'userWeights.alice'],
    ['userWeights', { 'a b': 'x' }, 'userWeights["a b"]'],
    ['userWeights', []],
    ['orderingPolicy', 'lifo'],
    ['preemptionOrderPolicy', 'random'],
    ['disablePreemption', 'true'],
    ['disableIntraQueuePreemption', 1],
    ['userResourceLimit', { memory: 0.5 }, 'userResourceLimit.memory'],
    ['userResourceLimits', { bob: { memory: -1 } }, 'userResourceLimits.bob.memory'],
    ['userResourceLimits', { bob: 5 }, 'userResourceLimits.bob'],
  ])('%s %j', (name, value, at = name) => {
    const snapshot = good();
    // Also of a queue that is not planned, and whatever order queues come in.
    snapshot.queues.unshift({ path: 'root.other', properties: { [name]: value } });
    const { path, message } = failure({ snapshot });
    expect(path).toBe(`queues[0].properties.${at}`);
    expect(message).toMatch(/^must be /);
  });
});

describe('an application', () => {
  type Application = Record<string, unknown>;
  it.each<[string, (application: Application) => void, string]>([
    ['without a user', (app) => delete app.user, 'user'],
    ['with an empty user', (app) => Object.assign(app, { user: '' }), 'user'],
    ['without a time of submission', (app) => delete app.submittedAt, 'submittedAt'],
    ['without a queue', (app) => delete app.queue, 'queue'],
    ['in a queue with children', (app) => Object.assign(app, { queue: 'root' }), 'queue'],
    [
      'with a broken time',
      (app) => Object.assign(app, { properties: { lastPreemptedAt: 'yesterday' } }),
      'properties.lastPreemptedAt',
    ],
    [
      'that asks for more than can be counted',
      (app) => Object.assign(app, { pending: [{ resources: { memory: 2 ** 40 }, count: 2 ** 20 }] }),
      'pending[0]',
    ],
  ])('%s', (_, change, field) => {
    const snapshot = good();
    change(snapshot.applications[1] as unknown as Application);
    expect(failure({ snapshot }).path).toBe(`applications[1].${field}`);
  });
});

it('of several applications that ask for too much the first in the input, however late it was submitted', () => {
  const snapshot = good();
  for (const application of snapshot.applications)
    application.pending = [
      { resources: {}, count: 1 },
      { resources: { memory: 2 ** 40 }, count: 2 ** 20 },
    ];
  snapshot.applications[0]!.submittedAt = snapshot.takenAt;
  expect(failure({ snapshot }).path).toBe('applications[0].pending[1]');
});

it('an allocation outside the queue of its application', () => {
  const snapshot = good();
  snapshot.queues.push({ path: 'root.other' });
  snapshot.allocations[2]!.queue = 'root.other';
  const error = failure({ snapshot });
  expect(error.path).toBe('allocations[2].queue');
  expect(error.message).toContain('root.default');
});

it('of several allocations outside it the first in the input, however young the others are', () => {
  const snapshot = good();
  snapshot.queues.push({ path: 'root.other' });
  for (const allocation of snapshot.allocations.slice(1)) allocation.queue = 'root.other';
  expect(failure({ snapshot }).path).toBe('allocations[1].queue');
});

it('a cooldown without the time of the snapshot', () => {
  const { takenAt, ...snapshot } = inQueue([
    { id: 'app1', has: 3, lastPreemptedAt: '2026-11-21T11:59:59Z' },
    { id: 'app2', priority: 2, wants: 1 },
  ]);
  expect(failure({ snapshot, settings: { cooldown: 1000 } }).path).toBe('takenAt');
});

it('nodes with more than can be counted', () => {
  const snapshot = good();
  snapshot.nodes = ['n1', 'n2'].map((id) => ({ id, capacity: { memory: 2 ** 53 - 1 } }));
  expect(failure({ snapshot }).path).toBe('nodes');
});

it('what an in-queue plan refuses is of this policy only: a quota decrease plans without all of it', () => {
  const snapshot = good();
  for (const application of snapshot.applications as Partial<ClusterSnapshot['applications'][number]>[]) {
    delete application.user;
    delete application.submittedAt;
  }
  snapshot.queues[1]!.properties = { minimumUserLimitPercent: 'any' };
  const trigger = { policy: 'quota-decrease', queue: 'root.default' };
  expect(planGiven({ snapshot, trigger }).outcome).toBe('not-needed');
});
