import { Inject, Injectable } from '@nestjs/common';
import { catalog } from '#contracts/events';
import type { KnownEvent } from '#event-store';
import type { Consumer, Effects } from '#messaging';
import { roundPolicies } from '#rounds';
import { WakeUps } from '../wake-ups/wake-ups.js';

/**
 * Requests wake-ups for the timers that policies set while they plan. A missed wake-up only costs time: the sweep finds
 * overdue timers.
 */
@Injectable()
export class WakeForOwnTimers implements Consumer {
  readonly name = 'round-timers';
  readonly events = [...new Set([...roundPolicies].flatMap(({ ownTimers }) => ownTimers?.events ?? []))];
  readonly topics = [...new Set(this.events.map((name) => catalog[name].topic))];
  readonly batchSize = 1000;

  constructor(@Inject(WakeUps) private readonly wakeUps: WakeUps) {}

  async handle(events: KnownEvent[]): Promise<Effects | undefined> {
    const wakeUps = [...roundPolicies].flatMap(({ ownTimers }) => ownTimers?.setBy(events) ?? []);
    if (wakeUps.length === 0) return undefined;
    return async () => () => this.wakeUps.arm(wakeUps);
  }
}
