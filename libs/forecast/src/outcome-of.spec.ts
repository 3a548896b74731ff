import { expect, it } from '@jest/globals';
import type { Preview, RunPreview } from '#contracts/api';
import { outcomeOf, presentOf } from './outcome-of.js';

const at = '2026-11-28T10:00:00.000Z';
const values = { max: { vcore: 1000 }, delayMs: 20_000 };
const victim = { allocation: 'a', application: 'job', queue: 'root.a', resources: { vcore: 1000 } };
const present = presentOf({ takenAt: at, allocations: [], applications: [] } as never);
const usage = new Map([['root.gone', { usage: { vcore: 2000, memory: 0 }, inFlight: {} }]]);

/** What comes of one lowered queue whose run is as given. */
const outcome = (run: Partial<RunPreview>, of: Partial<Preview> = {}) =>
  outcomeOf(
    'x',
    {
      ...{
        partition: 'default',
        dryRun: true,
        at,
        quotaPreemptionEnabled: true,
        ceiling: null,
        warnings: [],
      },
      ...{ previousQuotaPreemptionEnabled: true, policyChanges: [], pending: [], removed: [], rounds: [] },
      ...{ guaranteedChanged: [], propertiesChanged: [], running: [], victims: 0, notPlanned: 0 },
      changed: [
        {
          ...{ queue: 'root.a', previous: values, current: values },
          clock: { effect: 'starts or restarts', because: 'max goes down' },
          ...{
            dueAt: '2026-11-28T10:00:20.000Z',
            startsAt: '2026-11-28T10:00:20.000Z',
            waitsFor: [],
            held: [],
          },
          plan: { queue: 'root.a', victims: [victim], shortfall: {}, notices: [] } as never,
          ...run,
        },
      ],
      ...of,
    },
    present,
    usage,
  );

it('states when the first eviction is possible: at the start of a run with victims that waits for no person', () => {
  expect(outcome({})).toMatchObject({ clocksStart: 1, firstEvictionAt: '2026-11-28T10:00:20.000Z' });
  const later = '2026-11-28T12:00:00.000Z';
  const waiting = (reason: 'freeze' | 'approval' | 'stop' | 'mode') => [{ for: reason, because: 'x' }];
  expect(outcome({ startsAt: later, waitsFor: waiting('freeze') }).firstEvictionAt).toBe(later);
  for (const reason of ['approval', 'stop', 'mode'] as const)
    expect(outcome({ waitsFor: waiting(reason) }).firstEvictionAt).toBeNull();
  expect(outcome({ startsAt: null }).firstEvictionAt).toBeNull();
  expect(outcome({ held: ['a'] }).firstEvictionAt).toBeNull();
});

it('lists removed queues with the work that they leave without a quota, and says what becomes of the switch', () => {
  const removed = ['root.gone', 'root.empty'].map((queue) => ({ queue, previous: values }));
  expect(outcome({}, { removed, quotaPreemptionEnabled: false })).toMatchObject({
    ...{ changedQuotas: 3, moreRemoved: 0, switched: 'off' },
    removed: [
      { queue: 'root.gone', usage: { vcore: 2000 } },
      { queue: 'root.empty', usage: {} },
    ],
  });
  expect(outcome({}).switched).toBeNull();
});
