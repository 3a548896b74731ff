import { topics } from '@curtail/contracts/events';
import type { KnownEvent, Tx } from '@curtail/event-store';
import type { Consumer, Effects } from '@curtail/messaging';
import type { Webhook } from '@curtail/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { announceEnds } from '../webhook/announce-ends.js';
import { announceForeseen } from '../webhook/announce-foreseen.js';
import { WEBHOOK } from '../webhook/webhook.js';
import { countEvicted, foldEnforcements, isEnforcementEvent } from './fold-enforcement.js';
import { foldNotices } from './fold-notices.js';
import { foldVictims } from './fold-victim.js';
import type { FoldedEvent } from './folded-event.js';
import { MeasureEvents } from './measure-events.js';

/** The tables of the read model. */
export interface ReadModelTables {
  enforcements: string;
  victims: string;
  notices: string;
}
export const liveTables: ReadModelTables = {
  enforcements: 'read_enforcements',
  victims: 'read_victims',
  notices: 'read_notices',
};

/**
 * Folds events into the read model in order, with one statement per table rather than per event: submitting ten thousand quotas
 * makes as many events.
 */
export async function foldEvents(tx: Tx, tables: ReadModelTables, events: FoldedEvent[]): Promise<void> {
  await foldNotices(tx, tables.notices, events);
  await foldEnforcements(tx, tables.enforcements, events.filter(isEnforcementEvent));
  await countEvicted(tx, tables.enforcements, events);
  await foldVictims(tx, tables.victims, events);
}

/** The consumer that keeps the read model up to date. */
export const readModelConsumer = 'console';

/** The read side of the log: one consumer that fills the query tables and the counters. */
@Injectable()
export class FoldEvents implements Consumer {
  readonly name = readModelConsumer;
  readonly topics = Object.values(topics);
  /** The tables stay consistent: a cause is always stored before its effect. */
  readonly order = 'log';
  readonly batchSize = 1000;
  /** Most victims are ordered and evicted within it: then their row is written once. People may wait a second for what they see. */
  readonly patienceMs = 250;

  constructor(
    @Inject(MeasureEvents) private readonly metrics: MeasureEvents,
    @Inject(WEBHOOK) private readonly webhook: Webhook | null,
  ) {}

  async handle(events: KnownEvent[]): Promise<Effects> {
    return async (tx) => {
      await foldEvents(tx, liveTables, events);
      if (this.webhook) {
        await announceEnds(tx, this.webhook.types, events);
        await announceForeseen(tx, this.webhook.types, events);
      }
      return () => this.metrics.measure(events);
    };
  }
}
