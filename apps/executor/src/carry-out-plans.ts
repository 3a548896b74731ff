import { Controller } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { catalog, topics } from '#contracts/events';
import type { KnownEvent } from '#event-store';
import { type ConsumerOptions, type Effects, EVENT_BUS_TRANSPORT, type GivenUp, givenUpBy } from '#messaging';
import { ExecutorService } from './executor.service.js';
import { OpenRuns } from './runs/open-runs.js';

/**
 * Turns plans into open runs, and schedules runs again after a command of an operator or an answer of an owner. It does not read the
 * ends of runs: when a lease has expired, the timer schedules its run again in the transaction that releases the lock (`EndLeases`).
 */
@Controller()
export class CarryOutPlans {
  constructor(
    private readonly openRuns: OpenRuns,
    private readonly executor: ExecutorService,
  ) {}

  @EventPattern([topics.plans, topics.control, topics.quota], EVENT_BUS_TRANSPORT, {
    name: 'executor',
    events: [
      'PlanComputed',
      'PlanFailed',
      'PlanApproved',
      'PlanRejected',
      'CancelRequested',
      'OwnerAnswered',
      'KillSwitchSet',
      'KillSwitchCleared',
      'ModeChanged',
      'ConfigApplied',
      'ConfigurationApproved',
      'ConfigurationRejected',
    ],
    patienceMs: 25,
  } satisfies ConsumerOptions)
  async handle(events: KnownEvent[]): Promise<Effects | undefined> {
    const planned = events.filter(isPlan);
    const touched = events.flatMap((event) => whichRuns(event) ?? []);
    if (planned.length + touched.length === 0) return undefined;
    if (planned.length === 0 && !(await this.openRuns.mayWait(touched))) return undefined;
    return async (tx) => {
      const hold = this.executor.hasRoomFor(planned.length);
      const runs = planned.map(({ data }) => data);
      const [held] = await Promise.all([
        this.openRuns.add(tx, runs, { hold }),
        ...touched.map((which) => this.openRuns.touch(tx, which)),
      ]);
      return () => {
        this.executor.begin(held, new Map(planned.map((plan) => [plan.data.enforcement, plan])));
        if (held.length < planned.length + touched.length) this.executor.wake();
      };
    };
  }

  /** A plan that does not fit into memory is ended as its run would be (`GiveUp`). */
  @EventPattern<string>(givenUpBy('executor'), EVENT_BUS_TRANSPORT)
  async givenUp({ tx, event }: GivenUp): Promise<void> {
    if (event.type === catalog.PlanComputed.type) await this.openRuns.addGivenUp(tx, event);
  }
}

const isPlan = (event: KnownEvent): event is KnownEvent<'PlanComputed' | 'PlanFailed'> =>
  event.name === 'PlanComputed' || event.name === 'PlanFailed';

/** The runs that may have waited for an event. */
function whichRuns(event: KnownEvent): { enforcements: string[] } | { partition: string } | undefined {
  switch (event.name) {
    case 'PlanApproved':
    case 'PlanRejected':
    case 'CancelRequested':
      return { enforcements: [event.data.enforcement] };
    case 'OwnerAnswered': {
      const { enforcement } = event.data;
      return enforcement === undefined ? undefined : { enforcements: [enforcement] };
    }
    // The switch of the policy and the quotas of a new configuration count for runs that have evicted nothing.
    case 'ConfigApplied':
    case 'ConfigurationApproved':
    case 'ConfigurationRejected':
    case 'KillSwitchSet':
    case 'KillSwitchCleared':
    case 'ModeChanged':
      return { partition: event.data.partition };
    default:
      return undefined;
  }
}
