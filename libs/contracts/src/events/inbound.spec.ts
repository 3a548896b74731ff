import { describe, expect, it } from '@jest/globals';
import { catalog, type EventName } from './catalog.js';
import { inboundLimits } from './inbound-shapes.js';

/** The paths at which a message breaks its schema. */
const faultsOf = (name: EventName, data: unknown) => [
  ...new Set(catalog[name].schema.safeParse(data).error?.issues.map((issue) => issue.path.join('.'))),
];

const started = {
  partition: 'default',
  sequence: 7,
  id: 'a-1',
  uid: 'u-1',
  application: 'app-1',
  queue: 'root.research',
  resources: { memory: 1 },
  startedAt: '2026-11-21T09:00:05.123456+01:00',
};
const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`t${i}`, 1]));

describe('what outsiders may send', () => {
  it('is an allocation with what a snapshot has, and with fields that we do not know', () => {
    expect(faultsOf('AllocationStarted', { ...started, node: 'n-1', colour: 'green' })).toEqual([]);
  });

  it.each([
    ['queue', { queue: 'research' }],
    ['queue', { queue: 'root..a' }],
    ['queue', { queue: `root.${Array(30).fill('x'.repeat(64)).join('.')}` }],
    ['partition', { partition: '' }],
    ['partition', { partition: 'a b' }],
    ['sequence', { sequence: 0 }],
    ['sequence', { sequence: 2 ** 53 }],
    ['uid', { uid: undefined }],
    ['id', { id: 'x'.repeat(inboundLimits.idCharacters + 1) }],
    ['resources.memory', { resources: { memory: 0.5 } }],
    ['resources.memory', { resources: { memory: -1 } }],
    ['resources', { resources: many(inboundLimits.resourceTypes + 1) }],
    ['startedAt', { startedAt: 'yesterday' }],
    ['priority', { priority: 2 ** 31 }],
    ['role', { role: 'driver' }],
    ['checkpointedAt', { checkpointedAt: 'never' }],
    ['budgets', { budgets: ['web', 'web'] }],
    ['budgets', { budgets: Array.from({ length: inboundLimits.budgets + 1 }, (_, i) => `b${i}`) }],
    ['budgets.1', { budgets: ['web', ''] }],
  ])('names %s when that is wrong', (field, wrong) => {
    expect(faultsOf('AllocationStarted', { ...started, ...wrong })).toEqual([field]);
  });

  it('is a gang with members, and a disruption budget of a whole number', () => {
    const application = { partition: 'default', sequence: 7, id: 'app', queue: 'root.a' };
    const budget = { partition: 'default', sequence: 7, id: 'web', allowed: 0 };
    expect(faultsOf('ApplicationSubmitted', { ...application, gang: { minMembers: 1 } })).toEqual([]);
    expect(faultsOf('ApplicationSubmitted', { ...application, gang: { minMembers: 0 } })).toEqual([
      'gang.minMembers',
    ]);
    expect(faultsOf('ApplicationSubmitted', { ...application, gang: {} })).toEqual(['gang.minMembers']);
    expect(faultsOf('BudgetSet', budget)).toEqual([]);
    expect(faultsOf('BudgetSet', { ...budget, allowed: -1 })).toEqual(['allowed']);
    expect(faultsOf('BudgetSet', { ...budget, allowed: 0.5 })).toEqual(['allowed']);
  });

  it('is a listing of bounded pages, whose items are checked one by one', () => {
    const item = { ...started, partition: undefined, sequence: undefined };
    const page = { partition: 'default', sequence: 7, page: 1, last: true };
    expect(faultsOf('InventoryListed', { ...page, allocations: [item] })).toEqual([]);
    expect(faultsOf('InventoryListed', { ...page, allocations: [item, { ...item, uid: 3 }] })).toEqual([
      'allocations.1.uid',
    ]);
    expect(
      faultsOf('InventoryListed', { ...page, allocations: Array(inboundLimits.pageItems + 1).fill(item) }),
    ).toEqual(['allocations']);
  });

  it('is a configuration as text or as an object', () => {
    const submitted = { partition: 'default', submission: 's-1' };
    expect(faultsOf('ConfigSubmitted', { ...submitted, configuration: 'partitions: []' })).toEqual([]);
    expect(faultsOf('ConfigSubmitted', { ...submitted, configuration: { partitions: [] } })).toEqual([]);
    expect(faultsOf('ConfigSubmitted', { ...submitted, configuration: '' })).toEqual(['configuration']);
    expect(faultsOf('ConfigSubmitted', submitted)).toEqual(['configuration']);
  });

  it('is an answer to an eviction, with what that kind of answer needs', () => {
    const request = { evictionId: 'e-1', attempt: 1 };
    expect(faultsOf('EvictionAnswered', { ...request, answer: 'accepted' })).toEqual([]);
    expect(faultsOf('EvictionAnswered', { ...request, answer: 'refused', retryable: true })).toEqual([
      'code',
      'message',
    ]);
    expect(faultsOf('EvictionAnswered', { ...request, answer: 'other-incarnation' })).toEqual(['uid']);
    expect(faultsOf('EvictionAnswered', { ...request, answer: 'yes' })).toEqual(['answer']);
  });
});
