import type { DomainEvent, EventData, Plan } from '#contracts';
import { operatorStream, planStream, runStream } from '#event-store';
import type { Chance } from '../chance.js';
import type { PlannedCase } from './cases.js';

/** One event of a scenario; the time and the version are given to it when it is its turn. */
export interface StreamEvent {
  stream: string;
  key: string;
  event: DomainEvent;
}

type Outcome = EventData<'EnforcementEnded'>['outcome'];
interface Tally {
  evicted: number;
  gone: number;
  spared: number;
  failed: number;
}

export const partition = 'default';

/** A lowered quota and what becomes of it, one event after the other. `now` is asked at each of them. */
export function* scenario(
  chance: Chance,
  number: number,
  made: PlannedCase,
  now: () => Date,
): Generator<StreamEvent, void, void> {
  const { queue } = made;
  const enforcement = `e-${number.toString(36).padStart(12, '0')}`;
  const run = { partition, queue, enforcement };
  const fenced = { ...run, fencingToken: number + 1 };
  const values = { max: made.max, delayMs: 60_000 };
  const clock = (event: DomainEvent): StreamEvent => ({
    stream: `schedule-${partition}/${queue}`,
    key: queue,
    event,
  });
  const by = (stream: string, event: DomainEvent): StreamEvent => ({ stream, key: queue, event });
  const config = (key: string, event: DomainEvent): StreamEvent => ({
    stream: `config-${partition}`,
    key,
    event,
  });

  if (number % 10 === 0) yield config(partition, configApplied(number));
  yield config(queue, {
    name: 'QuotaChanged',
    data: { partition, queue, previous: { max: made.previousMax, delayMs: 60_000 }, current: values },
  });
  const dueAt = new Date(now().getTime() + 60_000).toISOString();
  yield clock({
    name: 'EnforcementScheduled',
    data: {
      ...run,
      generation: 1,
      dueAt,
      previous: { max: made.previousMax, delayMs: 60_000 },
      current: values,
      cause: 'quota-lowered',
      notices: [],
    },
  });
  if (chance.hits(0.15)) {
    yield clock({
      name: 'EnforcementRescheduled',
      data: {
        ...run,
        generation: 2,
        dueAt,
        previousDueAt: dueAt,
        current: values,
        cause: 'restarted',
        notices: [],
      },
    });
  }
  if (chance.hits(0.2)) {
    yield clock({
      name: 'EnforcementCancelled',
      data: { ...run, generation: 1, dueAt, cause: 'quota-raised', notices: [] },
    });
    return;
  }
  const late = chance.hits(0.05);
  yield clock({
    name: 'EnforcementStarted',
    data: {
      ...fenced,
      generation: 1,
      dueAt,
      startedAt: now().toISOString(),
      lateMs: late ? 2500 : 3,
      values,
      notices: late ? [{ code: 'fired-late', message: `The run of ${queue} started 2.5 s late.` }] : [],
    },
  });
  if (chance.hits(0.02)) {
    yield by(planStream(enforcement), {
      name: 'PlanFailed',
      data: {
        ...fenced,
        code: 'snapshot-unusable',
        message: 'allocations[0].resources.memory: is missing',
        attempt: 1,
      },
    });
    yield* end('failed', { evicted: 0, gone: 0, spared: 0, failed: 0 });
    return;
  }
  yield by(planStream(enforcement), {
    name: 'PlanComputed',
    data: {
      ...fenced,
      snapshotDigest: made.packed.digest,
      trigger: { ...made.trigger },
      settings: { ...made.settings },
      planDigest: made.planDigest,
      plan: made.plan,
      rules: made.rules,
      takenAt: made.packed.takenAt,
      mode: 'enforce',
      max: made.max,
      queueAllocations: made.queueAllocations,
      queueUsage: made.queueUsage,
      planSeconds: 0.0004,
    },
  });
  const asks = chance.hits(0.08);
  yield by(runStream(enforcement), {
    name: 'EnforcementOpened',
    data: {
      ...fenced,
      openedAt: now().toISOString(),
      mode: 'enforce',
      max: made.max,
      victims: made.plan.victims.length,
      needsApproval: asks,
      ...(asks ? { approvalReason: 'It takes 52 % of the queue.' } : {}),
      deadlineAt: new Date(now().getTime() + 86_400_000).toISOString(),
      notices: [],
    },
  });
  if (asks && chance.hits(0.3)) {
    yield by(operatorStream(enforcement), {
      name: 'PlanRejected',
      data: { ...run, by: 'operator', reason: 'too many at once' },
    });
    yield* end('rejected', { evicted: 0, gone: 0, spared: made.plan.victims.length, failed: 0 });
    return;
  }
  if (asks) yield by(operatorStream(enforcement), { name: 'PlanApproved', data: { ...run, by: 'operator' } });
  const tally: Tally = { evicted: 0, gone: 0, spared: 0, failed: 0 };
  for (const victim of made.plan.victims) {
    for (const event of fate(chance, run, victim, now, tally)) {
      yield by(runStream(enforcement), event);
    }
  }
  yield* end(made.plan.outcome === 'satisfied' ? 'satisfied' : 'best-effort', tally);

  function* end(outcome: Outcome, counts: Tally): Generator<StreamEvent, void, void> {
    yield by(runStream(enforcement), {
      name: 'EnforcementEnded',
      data: {
        ...fenced,
        outcome,
        ...counts,
        freed: made.plan.claimed,
        shortfall: made.plan.shortfall,
        message: `${counts.evicted} evicted.`,
        notices: [],
      },
    });
    yield clock({ name: 'EnforcementReleased', data: { ...run, cause: 'ended', notices: [] } });
  }
}

function configApplied(number: number): DomainEvent {
  return {
    name: 'ConfigApplied',
    data: {
      partition,
      digest: number.toString(16).padStart(64, '0'),
      format: 'yunikorn',
      quotaPreemptionEnabled: true,
      previousQuotaPreemptionEnabled: true,
      queues: 400,
      changed: 10,
      notices: [],
    },
  };
}

/** The history of one victim, its outcome last. */
function fate(
  chance: Chance,
  run: { partition: string; queue: string; enforcement: string },
  planned: Plan['victims'][number],
  now: () => Date,
  tally: Tally,
): DomainEvent[] {
  const { allocation, uid, application, queue: victimQueue, rank, resources } = planned;
  const victim = { ...run, allocation, ...(uid ? { uid } : {}), application, victimQueue, rank };
  const evictionId = `${run.enforcement}/${allocation}`;
  const ordered = (attempt: number): DomainEvent => ({
    name: 'VictimOrdered',
    data: { ...victim, attempt, evictionId, orderedAt: now().toISOString(), resources },
  });
  if (chance.hits(0.03)) {
    tally.spared++;
    return [{ name: 'VictimSpared', data: { ...victim, code: 'not-needed', message: 'No longer needed.' } }];
  }
  const refused: DomainEvent[] = chance.hits(0.04)
    ? [
        {
          name: 'VictimRefused',
          data: {
            ...victim,
            code: 'busy',
            message: 'The cluster is busy.',
            retryAt: new Date(now().getTime() + 1000).toISOString(),
          },
        },
        ordered(2),
      ]
    : [];
  const events = [ordered(1), ...refused];
  if (chance.hits(0.04)) {
    tally.gone++;
    return [
      ...events,
      { name: 'VictimGone', data: { ...victim, code: 'gone', message: 'It had ended by itself.' } },
    ];
  }
  if (chance.hits(0.01)) {
    tally.failed++;
    return [
      ...events,
      { name: 'VictimFailed', data: { ...victim, code: 'tries', message: 'Refused 8 times.' } },
    ];
  }
  tally.evicted++;
  return [
    ...events,
    {
      name: 'VictimEvicted',
      data: { ...victim, evictionId, resources, reason: planned.reason, recovered: false },
    },
  ];
}
