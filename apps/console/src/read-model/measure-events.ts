import { Injectable } from '@nestjs/common';
import { policyOfEvent } from '#contracts';
import type { KnownEvent } from '#event-store';
import { Metrics } from '#platform';

/** Counts events of the log: runs by outcome, victims, notices, planning time. */
@Injectable()
export class MeasureEvents {
  constructor(private readonly metrics: Metrics) {}

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
    for (const { code } of notices) this.metrics.runs.noticeGiven(code);
    switch (event.name) {
      case 'PlanComputed':
        this.metrics.runs.planSeconds.observe(event.data.planSeconds);
        break;
      case 'EnforcementEnded':
        this.metrics.runs.ended(policyOfEvent(event.data), event.data.outcome);
        break;
      case 'EnforcementCancelled':
        // A clock that was due, and whose queue was within its quota: the run ended before it began.
        if (event.data.cause === 'not-needed') this.metrics.runs.ended(policyOfEvent({}), event.data.cause);
        break;
      case 'VictimEvicted':
        this.metrics.runs.victimEnded('evicted');
        if (event.data.cause) this.metrics.runs.preempted(event.data.cause);
        break;
      case 'VictimGone':
        this.metrics.runs.victimEnded('gone');
        break;
      case 'VictimSpared':
        this.metrics.runs.victimEnded('spared');
        break;
      case 'VictimFailed':
        this.metrics.runs.victimEnded('failed');
        break;
      case 'VictimNotified':
        this.metrics.runs.victimEnded('notified');
        break;
      case 'VictimForgotten':
        this.metrics.runs.victimEnded('forgotten');
        break;
      case 'VictimRefused':
        this.metrics.runs.evictionRefused();
    }
  }
}
