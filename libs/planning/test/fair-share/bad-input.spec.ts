import { describe, expect, it } from '@jest/globals';
import { InputError } from '#contracts';
import { planGiven } from '#planning';
import { TAKEN_AT } from './small-cluster.js';

const node = { id: 'n1', capacity: { vcore: 10 } };
const queue = { path: 'root.a' };
const application = { id: 'x', queue: 'root.a', submittedAt: TAKEN_AT };
const allocation = {
  id: 'a1',
  application: 'x',
  queue: 'root.a',
  node: 'n1',
  resources: { vcore: 1 },
  startedAt: TAKEN_AT,
};
const good = {
  takenAt: TAKEN_AT,
  nodes: [node],
  queues: [queue],
  applications: [application],
  allocations: [allocation],
};
const MOST = Number.MAX_SAFE_INTEGER;

function pathOf(snapshot: object, settings: object = {}, trigger: object = { policy: 'fair-share' }): string {
  try {
    planGiven({ snapshot, settings, trigger });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    // A message states what would be right.
    expect(error.message.length).toBeGreaterThan(20);
    return error.path;
  }
  return 'no error';
}

it('a good input is planned', () => {
  expect(pathOf(good)).toBe('no error');
  expect(pathOf({ ...good, queues: [{ path: 'root' }, queue] })).toBe('no error');
  const atRoot = { ...application, queue: 'root' };
  expect(pathOf({ ...good, queues: [], applications: [atRoot], allocations: [] })).toBe('no error');
});

it.each([
  [{ policy: 'fair-share', queue: 'root' }, 'trigger.queue'],
  [{ policy: 'fair-share', target: {} }, 'trigger.target'],
  [{ policy: 'fair-share', queue: null, target: null }, 'no error'],
])('trigger %j: %s', (trigger, path) => {
  expect(pathOf(good, {}, trigger)).toBe(path);
});

describe('settings', () => {
  it.each([
    [{ surprise: 1 }, 'surprise'],
    [{ fairShareStarvationTimeout: -1 }, 'fairShareStarvationTimeout'],
    [{ allocationPreemptionTimeout: 1.5 }, 'allocationPreemptionTimeout'],
    [{ preemptiveSchedulingBackoff: '5s' }, 'preemptiveSchedulingBackoff'],
    [{ fairShareStarvationTolerance: 1.01 }, 'fairShareStarvationTolerance'],
    [{ preemptionSatisfactionThreshold: 0 }, 'preemptionSatisfactionThreshold'],
    [{ aggressivePreemptionSatisfactionThreshold: -0.1 }, 'aggressivePreemptionSatisfactionThreshold'],
    [{ aggressivePreemptionSatisfactionThreshold: 1.1 }, 'aggressivePreemptionSatisfactionThreshold'],
    [{ preemptionSatisfactionThreshold: 0.1 }, 'aggressivePreemptionSatisfactionThreshold'],
    [{ fairShareAggressiveStarvationTimeout: 29_999 }, 'fairShareAggressiveStarvationTimeout'],
    [{ fairShareStarvationTimeout: 200_000 }, 'fairShareAggressiveStarvationTimeout'],
    [{ allocationCountPreemptionTimeoutCoefficient: 0.5 }, 'allocationCountPreemptionTimeoutCoefficient'],
    [{ enableAggressiveStarvation: 'yes' }, 'enableAggressiveStarvation'],
    [{ schedulingPreemptionPriorityScope: 'all' }, 'schedulingPreemptionPriorityScope'],
    [{ fifoPoolSchedulingOrder: 'lifo' }, 'fifoPoolSchedulingOrder'],
    [{ mainResource: '' }, 'mainResource'],
    [{ reasons: ['boredom'] }, 'reasons'],
    [{ reasons: 'starvation' }, 'reasons'],
    [{ nonPreemptibleResourceUsageThreshold: { vcore: 0.5 } }, 'nonPreemptibleResourceUsageThreshold.vcore'],
    [{ protect: { queues: 'root' } }, 'protect.queues'],
  ])('%j: %s', (settings, path) => {
    expect(pathOf(good, settings)).toBe(`settings.${path}`);
  });
});

describe('properties of queues', () => {
  it.each([
    [{ weight: 0 }, 'weight'],
    [{ weight: '2' }, 'weight'],
    [{ fairShareStarvationTolerance: -0.1 }, 'fairShareStarvationTolerance'],
    [{ fairShareStarvationTimeout: -1 }, 'fairShareStarvationTimeout'],
    [{ mode: 'lifo' }, 'mode'],
    [{ fifoSortParameters: ['age'] }, 'fifoSortParameters'],
    [{ enableAggressiveStarvation: 1 }, 'enableAggressiveStarvation'],
    [{ starvationStatus: 'hungry' }, 'starvationStatus'],
    [{ belowFairShareSince: 'yesterday' }, 'belowFairShareSince'],
    [{ resourceLimitsOvercommitTolerance: { vcore: -1 } }, 'resourceLimitsOvercommitTolerance.vcore'],
    [{ nonPreemptibleResourceUsageThreshold: [] }, 'nonPreemptibleResourceUsageThreshold'],
  ])('%j: %s', (properties, path) => {
    const queues = [{ path: 'root.z' }, { ...queue, properties }];
    expect(pathOf({ ...good, queues })).toBe(`queues[1].properties.${path}`);
  });

  it('a fifo pool has no pools below it', () => {
    const fifo = { path: 'root.f', properties: { mode: 'fifo' } };
    const queues = [queue, { path: 'root.f.b' }, fifo];
    expect(pathOf({ ...good, queues })).toBe('queues[2].properties.mode');
  });
});

describe('properties of applications', () => {
  it.each([
    [{ weight: -1 }, 'weight'],
    [{ isGang: 'yes' }, 'isGang'],
    [{ preemptionMode: 'polite' }, 'preemptionMode'],
    [{ resourceLimits: { vcore: 1.5 } }, 'resourceLimits.vcore'],
    [{ schedulingTagFilter: { zone: 1 } }, 'schedulingTagFilter.zone'],
    [{ allocationPreemptionTimeout: -5 }, 'allocationPreemptionTimeout'],
    [{ starvingSince: 5 }, 'starvingSince'],
  ])('%j: %s', (properties, path) => {
    const applications = [{ ...application, properties }];
    expect(pathOf({ ...good, applications })).toBe(`applications[0].properties.${path}`);
  });
});

describe('the snapshot', () => {
  const pending = (entry: object): object => ({ applications: [{ ...application, pending: [entry] }] });
  it.each<[string, object]>([
    ['takenAt', { takenAt: undefined }],
    ['takenAt', { takenAt: '2026-11-21' }],
    ['nodes[1].id', { nodes: [node, node] }],
    ['nodes[0].capacity.vcore', { nodes: [{ id: 'n1', capacity: { vcore: -1 } }] }],
    ['nodes[0].labels.zone', { nodes: [{ ...node, labels: { zone: 1 } }] }],
    ['nodes[0].schedulable', { nodes: [{ ...node, schedulable: 'no' }] }],
    [
      'nodes[0].properties.overcommittedSince',
      { nodes: [{ ...node, properties: { overcommittedSince: 1 } }] },
    ],
    ['queues[1].path', { queues: [queue, queue] }],
    ['queues[1].path', { queues: [queue, { path: 'root.b.c' }] }],
    ['queues[1].path', { queues: [queue, { path: 'other' }] }],
    ['queues[0].max.vcore', { queues: [{ ...queue, max: { vcore: 0.5 } }] }],
    ['queues[0].guaranteed', { queues: [{ ...queue, guaranteed: 5 }] }],
    ['applications[1].id', { applications: [application, application] }],
    ['applications[0].queue', { applications: [{ ...application, queue: 'root.b' }] }],
    ['applications[0].submittedAt', { applications: [{ ...application, submittedAt: undefined }] }],
    ['applications[0].pending[0].count', pending({ resources: { vcore: 1 }, count: -1 })],
    ['applications[0].pending[0].count', pending({ resources: { vcore: 1 }, count: 0.5 })],
    ['applications[0].pending[0].resources.vcore', pending({ resources: { vcore: '1' }, count: 1 })],
    ['applications[0].pending[0].nodeSelector', pending({ resources: {}, nodeSelector: 'a' })],
    ['applications[0].pending[0].count', pending({ resources: { vcore: 2 ** 30 }, count: 2 ** 30 })],
    ['allocations[1].id', { allocations: [allocation, allocation] }],
    ['allocations[0].application', { allocations: [{ ...allocation, application: 'y' }] }],
    ['allocations[0].queue', { allocations: [{ ...allocation, queue: 'root' }] }],
    ['allocations[0].node', { allocations: [{ ...allocation, node: 'n2' }] }],
    ['allocations[0].role', { allocations: [{ ...allocation, role: 'king' }] }],
    ['allocations[0].state', { allocations: [{ ...allocation, state: 'asleep' }] }],
    ['allocations[0].startedAt', { allocations: [{ ...allocation, startedAt: undefined }] }],
    ['allocations[0].lastJobStartedAt', { allocations: [{ ...allocation, lastJobStartedAt: 'now' }] }],
    ['allocations[0].interruptible', { allocations: [{ ...allocation, interruptible: 'no' }] }],
    ['allocations[0].resources.vcore', { allocations: [{ ...allocation, resources: { vcore: 1.5 } }] }],
    [
      'allocations[1].resources.vcore',
      {
        allocations: [
          { ...allocation, resources: { vcore: MOST } },
          { ...allocation, id: 'a2' },
        ],
      },
    ],
    [
      'nodes[1].capacity.vcore',
      {
        nodes: [
          { id: 'n1', capacity: { vcore: MOST } },
          { ...node, id: 'n2' },
        ],
      },
    ],
  ])('%s', (path, change) => {
    expect(pathOf({ ...good, ...change })).toBe(path);
  });
});

it('an entry that asks for nothing is left out, and one without a count asks once', () => {
  const demandOf = (entry: object): unknown => {
    const applications = [{ ...application, pending: [entry] }];
    const { statuses } = planGiven({
      snapshot: { ...good, applications, allocations: [] },
      trigger: { policy: 'fair-share' },
      settings: { explain: true },
    });
    return statuses!.find(({ name }) => name === 'x')!.demandShare.vcore;
  };
  expect(demandOf({ resources: { vcore: 0 }, count: 5 })).toBe(0);
  expect(demandOf({ count: 5 })).toBe(0);
  expect(demandOf({ resources: { vcore: 2 } })).toBe(0.2);
});
