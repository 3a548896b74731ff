import { policyOfEvent } from '@curtail/contracts';
import type { KnownEvent } from '@curtail/event-store';
import { Metrics } from '@curtail/platform';
import { Inject, Injectable } from '@nestjs/common';

/** Counts events of the log: runs by outcome, victims, notices, planning time. */
@Injectable()
export class MeasureEvents {
  constructor(@Inject(Metrics) private readonly metrics: Metrics) {}

  measure(events: KnownEvent[]): void {
    for (const event of events) this.measureOne(event);
  }

  private measureOne(event: KnownEvent): void {
    const notices =
      event.name === 'PlanComputed'
        ? event.data.plan.notices
        : 'notices' in event.data
          ? event.data.notices
          : [];
    for (const { code } of notices) this.metrics.noticeGiven(code);
    switch (event.name) {
      case 'PlanComputed':
        this.metrics.planSeconds.observe(event.data.planSeconds);
        break;
      case 'EnforcementEnded':
        this.metrics.enforcementEnded(policyOfEvent(event.data), event.data.outcome);
        break;
      case 'EnforcementCancelled':
        // A clock that was due, and whose queue was within its quota: the run ended before it began.
        if (event.data.cause === 'not-needed')
          this.metrics.enforcementEnded(policyOfEvent({}), event.data.cause);
        break;
      case 'VictimEvicted':
        this.metrics.victimEnded('evicted');
        if (event.data.cause) this.metrics.preempted(event.data.cause);
        break;
      case 'VictimGone':
        this.metrics.victimEnded('gone');
        break;
      case 'VictimSpared':
        this.metrics.victimEnded('spared');
        break;
      case 'VictimFailed':
        this.metrics.victimEnded('failed');
        break;
      case 'VictimNotified':
        this.metrics.victimEnded('notified');
        break;
      case 'VictimForgotten':
        this.metrics.victimEnded('forgotten');
        break;
      case 'VictimRefused':
        this.metrics.evictionRefused();
    }
  }
}
