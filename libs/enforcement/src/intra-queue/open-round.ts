import type { DomainEvent } from '#contracts';
import { type Stop, stopOf } from '../run/control.js';
import { type OpeningTerms, openRun } from '../run/open.js';
import { assert, type PlannedVictim, type RunState } from '../run/run-state.js';
import { type Judgement, judgeRound, type NoteOfVictim, type RoundToJudge } from './judge-round.js';

/** A note with the further fields of the events about it. */
export interface KeptNote extends NoteOfVictim {
  application: string;
  queue: string;
  notifiedBy: string;
}

export interface OpenedRound {
  /** The opening and the events that are decided with it; appended together. */
  events: DomainEvent[];
  judged: Judgement<PlannedVictim>;
  forget: KeptNote[];
}

/**
 * Opens a round. The event records which victims are notified, wait or are killed, so a restart decides nothing again.
 * A victim below a kill switch is spared in the same append: if the switch is cleared a moment later, a round that did
 * not notify its owner must not kill it.
 */
export function openRound(
  state: RunState,
  terms: Omit<OpeningTerms, 'judged'>,
  round: Pick<RoundToJudge, 'round' | 'maxWaitBeforeKillMs'> & {
    notes: readonly KeptNote[];
    stops: readonly Stop[];
  },
): OpenedRound {
  const { planned } = state;
  assert(planned, 'there is no plan to open');
  const { victims } = planned.plan;
  const judged = judgeRound({
    ...round,
    takenAt: planned.takenAt,
    now: terms.openedAt,
    victims,
    observing: terms.mode === 'observe',
  });
  const opened = openRun(state, { ...terms, judged });
  const forget = round.notes.filter((note) => judged.forget.includes(note));
  const { partition, queue, enforcement } = planned;
  const run = { partition, queue, enforcement };
  return {
    judged,
    forget,
    events: [
      opened,
      ...(terms.mode === 'observe' ? [] : judged.held.map((victim) => sparedBy(run, victim, round.stops))),
      ...forget.map((note) => forgotten(run, note)),
    ],
  };
}

interface OfRun {
  partition: string;
  queue: string;
  enforcement: string;
}

function sparedBy(run: OfRun, victim: PlannedVictim, stops: readonly Stop[]): DomainEvent {
  const { allocation, uid, application, queue: victimQueue, rank } = victim;
  const stop = stopOf({ partition: run.partition, queue: victimQueue }, { stops });
  assert(stop, `${allocation} is held by no switch`);
  return {
    name: 'VictimSpared',
    data: { ...run, allocation, ...(uid !== undefined && { uid }), application, victimQueue, rank, ...stop },
  };
}

function forgotten(run: OfRun, note: KeptNote): DomainEvent {
  const { allocation, uid, application, queue: victimQueue, notifiedAt, notifiedBy } = note;
  return {
    name: 'VictimForgotten',
    data: {
      ...run,
      allocation,
      ...(uid !== undefined && { uid }),
      application,
      victimQueue,
      notifiedAt,
      notifiedBy,
    },
  };
}
