import { topics } from '@curtail/contracts';
import type { KnownEvent, Tx } from '@curtail/event-store';
import type { Consumer, Effects } from '@curtail/messaging';
import { foldEnforcement } from './fold-enforcement.js';
import { foldNotices } from './fold-notices.js';
import { foldPlanVictims, foldVictim } from './fold-victim.js';

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

/** Folds one event into the read model. */
export async function foldEvent(tx: Tx, tables: ReadModelTables, event: KnownEvent): Promise<void> {
  await foldNotices(tx, tables.notices, event);
  switch (event.name) {
    case 'PlanComputed':
      await foldEnforcement(tx, tables.enforcements, event);
      await foldPlanVictims(tx, tables.victims, event);
      return;
    case 'EnforcementScheduled':
    case 'EnforcementRescheduled':
    case 'EnforcementCancelled':
    case 'EnforcementStarted':
    case 'PlanFailed':
    case 'PlanApproved':
    case 'PlanRejected':
    case 'ExecutionOpened':
    case 'EnforcementEnded':
    case 'EnforcementReleased':
      await foldEnforcement(tx, tables.enforcements, event);
      return;
    case 'VictimOrdered':
    case 'VictimNotified':
    case 'VictimEvicted':
    case 'VictimRefused':
    case 'VictimGone':
    case 'VictimSpared':
    case 'VictimFailed':
      await foldVictim(tx, tables.victims, event);
  }
}

/** The read side of the log: one consumer, everything that people look at. */
export class FoldEvents implements Consumer {
  readonly name = 'console';
  readonly topics = Object.values(topics);

  async handle(events: KnownEvent[]): Promise<Effects> {
    return async (tx) => {
      for (const event of events) await foldEvent(tx, liveTables, event);
      return undefined;
    };
  }
}
