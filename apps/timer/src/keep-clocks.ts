import { setTimeout as delay } from 'node:timers/promises';
import { topics } from '@curtail/contracts/events';
import type { KnownEvent } from '@curtail/event-store';
import type { Consumer, Effects } from '@curtail/messaging';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type ClockEvent, clockConsumer, clockEvents, isClockEvent } from './clock-event.js';
import { ClockEvents } from './clock-events.js';
import { KeepRoundTimers } from './rounds/keep-round-timers.js';
import { WakeUps } from './wake-ups.js';

/**
 * So many changes at once make other tables of these. With the old statistics, the few queues that run would be searched
 * among all of them.
 */
const manyChanges = 500;
/** A burst is many batches: so long they gather before the statistics are renewed, once for all. */
const renewAfterMs = 2000;

/**
 * Applies what happened to queues to their clocks (ClockEvents). The rounds of a partition are kept with it (KeepRoundTimers): as a
 * consumer of their own they would be brought each change of a quota too, for one event in thousands.
 */
@Injectable()
export class KeepClocks implements Consumer {
  readonly name = clockConsumer;
  readonly topics = [topics.quota, topics.enforcement, topics.control];
  readonly events = clockEvents;
  readonly batchSize = 1000;
  readonly patienceMs = 50;

  private renewing: Promise<unknown> | undefined;

  constructor(
    @Inject(ClockEvents) private readonly clocks: ClockEvents,
    @Inject(WakeUps) private readonly wakeUps: WakeUps,
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(KeepRoundTimers) private readonly monitors: KeepRoundTimers,
  ) {}

  async handle(all: KnownEvent[]): Promise<Effects | undefined> {
    const events = all.filter(isClockEvent);
    if (events.length === 0) return undefined;
    const usage = await this.clocks.usageFor(events);
    return async (tx) => {
      const { wakeUps, toCheck } = await this.clocks.apply(tx, events, usage);
      wakeUps.push(...(await this.monitors.keep(tx, configured(events))));
      return () => {
        if (events.length >= manyChanges) this.renewStatistics();
        this.wakeUps.arm(wakeUps);
        for (const partition of toCheck) this.wakeUps.check(partition);
      };
    };
  }

  /** Behind the transaction, for whose lock others wait. */
  private renewStatistics(): void {
    this.renewing ??= delay(renewAfterMs, undefined, { ref: false })
      .then(() => this.db.query('ANALYZE schedules, timers'))
      // The database is away, or about to be closed: the server renews them too, later.
      .catch(() => {})
      .finally(() => {
        this.renewing = undefined;
      });
  }
}

/** The partitions that have another configuration. */
const configured = (events: ClockEvent[]): string[] =>
  events.flatMap(({ name, data }) => (name === 'ConfigApplied' ? [data.partition] : []));
