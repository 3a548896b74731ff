import type { DomainEvent, EventData } from '#contracts';
import { digestOfPlan, type StreamAppend } from '#event-store';

/** An append of a plan that is long enough to be stored packed, of the queue `root.a` in the partition `default`. */
export function longPlan(enforcement: string, victims = 1000): StreamAppend {
  const plan = {
    ...{
      apiVersion: 'curtail/v1',
      kind: 'Plan',
      policy: 'quota-decrease',
      queue: 'root.a',
      outcome: 'satisfied',
    },
    ...{
      target: { vcore: victims },
      inFlight: {},
      claimed: { vcore: victims },
      shortfall: {},
      overshoot: {},
    },
    ...{ collateral: {}, shares: [], notices: [] },
    victims: Array.from({ length: victims }, (_, i) => ({
      ...{ allocation: `a-${i + 1}`, application: 'app', queue: 'root.a', resources: { vcore: 1 } },
      ...{ rank: i + 1, reason: 'Nummer eins ist der jüngste:\nyounger goes first (rule 4)' },
    })),
  } as EventData<'PlanComputed'>['plan'];
  const data: EventData<'PlanComputed'> = {
    ...{ partition: 'default', queue: 'root.a', enforcement, fencingToken: 7, snapshotDigest: 'of-snapshot' },
    ...{ trigger: { policy: 'quota-decrease', queue: 'root.a' }, settings: { minimumRunSeconds: 5 } },
    ...{ planDigest: digestOfPlan(plan), plan, takenAt: '2026-11-20T10:00:00.000Z', mode: 'enforce' },
    ...{
      max: { vcore: 10 },
      queueAllocations: victims,
      queueUsage: { vcore: 10 + victims },
      planSeconds: 0.1,
    },
  };
  const event: DomainEvent = { name: 'PlanComputed', data };
  return {
    ...{ stream: `plan-${enforcement}`, partition: 'default', expectedVersion: 0 },
    events: [{ event, key: 'root.a' }],
  };
}
