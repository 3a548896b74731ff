import { Controller, Inject } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { topics } from '#contracts/events';
import type { KnownEvent, Tx } from '#event-store';
import { type ConsumerOptions, type Effects, EVENT_BUS_TRANSPORT, handledLateBy } from '#messaging';
import type { Webhook } from '#runtime';
import { announceEnds, announceForeseen, WEBHOOK } from '../webhook/announcements.js';
import { AddMissingVictims } from './add-missing-victims.js';
import { foldLate } from './fold-late.js';
import { foldNotices } from './fold-notices.js';
import { countEvicted, foldRuns, isEnforcementEvent } from './fold-run.js';
import { foldVictims } from './fold-victim.js';
import type { FoldedEvent } from './folded-event.js';
import { MeasureEvents } from './measure-events.js';
import { isLargePlan, noteMissing } from './missing-victims.js';
import { liveTables, type ReadModelTables, readModelConsumer } from './statements.js';

/**
 * Folds events into the read model in order, with one statement per table rather than per event: submitting ten thousand quotas
 * makes as many events.
 *
 * @param later runs whose victims are added apart.
 */
export async function foldEvents(
  tx: Tx,
  tables: ReadModelTables,
  events: FoldedEvent[],
  later?: ReadonlySet<string>,
): Promise<void> {
  // In one write: none needs the answer to another, and the server runs them in this order.
  await Promise.all([
    foldNotices(tx, tables.notices, events),
    foldRuns(tx, tables.enforcements, events.filter(isEnforcementEvent)),
    countEvicted(tx, tables.enforcements, events),
    foldVictims(tx, tables.victims, events, later),
  ]);
}

/** The read side of the log: one consumer that fills the query tables and the counters. */
@Controller()
export class FoldEvents {
  constructor(
    private readonly metrics: MeasureEvents,
    @Inject(WEBHOOK) private readonly webhook: Webhook | null,
    @Inject(AddMissingVictims) private readonly missing: Pick<AddMissingVictims, 'soon'>,
  ) {}

  @EventPattern(Object.values(topics), EVENT_BUS_TRANSPORT, {
    name: readModelConsumer,
    // The tables stay consistent: a cause is always stored before its effect.
    order: 'log',
    batchSize: 1000,
    // Most victims are ordered and evicted within it: then their row is written once. People may wait a second for what they see.
    patienceMs: 250,
  } satisfies ConsumerOptions)
  async handle(events: KnownEvent[]): Promise<Effects> {
    const large = events.filter(isLargePlan);
    return async (tx) => {
      await foldEvents(tx, liveTables, events, new Set(large.map(({ data }) => data.enforcement)));
      await noteMissing(tx, large);
      await this.announce(tx, events);
      return () => {
        this.metrics.measure(events);
        if (large.length > 0) this.missing.soon();
      };
    };
  }

  @EventPattern<string>(handledLateBy(readModelConsumer), EVENT_BUS_TRANSPORT)
  async handleLate(event: KnownEvent): Promise<Effects> {
    return async (tx) => {
      const victimsFollow = await foldLate(tx, event);
      await this.announce(tx, [event]);
      return () => {
        this.metrics.measure([event]);
        if (victimsFollow) this.missing.soon();
      };
    };
  }

  private async announce(tx: Tx, events: readonly KnownEvent[]): Promise<void> {
    if (!this.webhook) return;
    await announceEnds(tx, this.webhook.types, events);
    await announceForeseen(tx, this.webhook.types, events);
  }
}
