import { setTimeout as delay } from 'node:timers/promises';
import { Controller } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { DataSource } from 'typeorm';
import { topics } from '#contracts/events';
import type { KnownEvent } from '#event-store';
import { type ConsumerOptions, type Effects, EVENT_BUS_TRANSPORT } from '#messaging';
import {
  type ClockEvent,
  clockConsumer,
  clockEvents,
  concernsClocks,
  isClockEvent,
} from './clocks/clock-event.js';
import { ClockEvents } from './clocks/clock-events.js';
import { renewStatistics } from './clocks/clock-statements.js';
import { KeepRoundClocks } from './rounds/keep-round-clocks.js';
import { WakeUps } from './wake-ups/wake-ups.js';

/**
 * After this many changes the statistics of the tables are outdated: the few queues with a run would be searched among
 * all of them.
 */
const manyChanges = 500;
/** A burst is many batches: the statistics are renewed once for all of them, after this long. */
const renewAfterMs = 2000;

/**
 * Applies the events of queues to their clocks (ClockEvents). The rounds of a partition are kept here too
 * (KeepRoundClocks): a consumer of their own would receive each change of a quota, for one relevant event in thousands.
 */
@Controller()
export class KeepClocks {
  private renewing: Promise<unknown> | undefined;

  constructor(
    private readonly clocks: ClockEvents,
    private readonly wakeUps: WakeUps,
    private readonly db: DataSource,
    private readonly monitors: KeepRoundClocks,
  ) {}

  @EventPattern([topics.quota, topics.enforcement, topics.control], EVENT_BUS_TRANSPORT, {
    name: clockConsumer,
    events: clockEvents,
    batchSize: 1000,
    // Clocks count from the time of their events. While events follow each other, requested runs and the next run of a queue may start this much later.
    patienceMs: 200,
  } satisfies ConsumerOptions)
  async handle(all: KnownEvent[]): Promise<Effects | undefined> {
    const received = all.filter(isClockEvent);
    const partitions = await this.monitors.changed(configured(received));
    const events = received.filter(concernsClocks);
    if (events.length + partitions.length === 0) return undefined;
    const usage = await this.clocks.usageFor(events);
    return async (tx) => {
      const { wakeUps, toCheck } = await this.clocks.apply(tx, events, usage);
      if (partitions.length > 0) wakeUps.push(...(await this.monitors.keep(tx, partitions)));
      return () => {
        if (events.length >= manyChanges) this.renewStatistics();
        this.wakeUps.arm(wakeUps);
        for (const partition of toCheck) this.wakeUps.check(partition);
      };
    };
  }

  /** After the transaction, because others wait for its lock. */
  private renewStatistics(): void {
    this.renewing ??= delay(renewAfterMs, undefined, { ref: false })
      .then(() => renewStatistics(this.db))
      // The database is unavailable, or about to be closed: the server renews them later.
      .catch(() => {})
      .finally(() => {
        this.renewing = undefined;
      });
  }
}

/** The partitions with a new configuration. */
const configured = (events: ClockEvent[]): string[] =>
  events.flatMap(({ name, data }) => (name === 'ConfigApplied' ? [data.partition] : []));
