import { Controller } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { catalog } from '#contracts/events';
import type { KnownEvent } from '#event-store';
import { type ConsumerOptions, type Effects, EVENT_BUS_TRANSPORT } from '#messaging';
import { roundPolicies } from '#rounds';
import { WakeUps } from '../wake-ups/wake-ups.js';

const setters = [...new Set([...roundPolicies].flatMap(({ ownTimers }) => ownTimers?.events ?? []))];
const topics = [...new Set(setters.map((name) => catalog[name].topic))];

/**
 * Requests wake-ups for the timers that policies set while they plan. A missed wake-up only costs time: the sweep finds
 * overdue timers.
 */
@Controller()
export class WakeForOwnClocks {
  constructor(private readonly wakeUps: WakeUps) {}

  @EventPattern(topics, EVENT_BUS_TRANSPORT, {
    name: 'round-timers',
    events: setters,
    batchSize: 1000,
  } satisfies ConsumerOptions)
  async handle(events: KnownEvent[]): Promise<Effects | undefined> {
    const wakeUps = [...roundPolicies].flatMap(({ ownTimers }) => ownTimers?.setBy(events) ?? []);
    if (wakeUps.length === 0) return undefined;
    return async () => () => this.wakeUps.arm(wakeUps);
  }
}
