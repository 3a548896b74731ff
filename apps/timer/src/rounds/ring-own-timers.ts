import { topics } from '@curtail/contracts/events';
import type { KnownEvent } from '@curtail/event-store';
import type { Consumer, Effects } from '@curtail/messaging';
import { roundPolicies } from '@curtail/rounds';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Bell } from '../bell.js';

/**
 * Has the doorbell notified of the timers that policies set while they plan. What it misses costs time and no timer: the sweep finds
 * whatever is overdue.
 */
@Injectable()
export class RingOwnTimers implements Consumer {
  readonly name = 'starvation-timers';
  readonly topics = [topics.starvation, topics.plans];
  readonly events = ['TimerStarted', 'TimerRestarted', 'PlanComputed'] as const;
  readonly batchSize = 1000;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Bell) private readonly bell: Bell,
  ) {}

  async handle(events: KnownEvent[]): Promise<Effects | undefined> {
    const set = await Promise.all(
      roundPolicies.map(({ ownTimers }) => ownTimers?.setBy(this.db, events) ?? []),
    );
    const rings = set.flat();
    if (rings.length === 0) return undefined;
    return async () => () => this.bell.arm(rings);
  }
}
