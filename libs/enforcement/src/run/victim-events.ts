import type { DomainEvent, Notice, Subject } from '@curtail/contracts';
import {
  assert,
  notifiesInOneRound,
  type OpenOrder,
  type PlannedRun,
  type PlannedVictim,
  type RunState,
} from './state.js';

/** What names a victim of a plan. */
export type WhichVictim = Pick<PlannedVictim, 'allocation' | 'uid' | 'application' | 'queue' | 'rank'>;

/* What can happen to a victim, as events; the fields that all of them share are filled in here. */

export function victimOrdered(
  state: RunState,
  order: OpenOrder,
  orderedAt: string,
): DomainEvent<'VictimOrdered'> {
  const { rank, attempt, evictionId, resources } = order;
  return {
    name: 'VictimOrdered',
    data: { ...victim(state, rank), attempt, evictionId, orderedAt, resources },
  };
}

export function victimNotified(
  state: RunState,
  rank: number,
  { notifiedAt, killAt }: { notifiedAt: string; killAt: string },
): DomainEvent<'VictimNotified'> {
  const { reason } = planned(state, rank);
  const interrupts = notifiesInOneRound(state) ? {} : { interrupts: true as const };
  return {
    name: 'VictimNotified',
    data: { ...victim(state, rank), notifiedAt, killAt, reason, ...interrupts },
  };
}

export function victimEvicted(state: RunState, order: OpenOrder, recovered: boolean): DomainEvent {
  const { evictionId, resources } = order;
  const { reason, cause } = planned(state, order.rank);
  const why = cause === undefined ? { reason } : { reason, cause };
  return {
    name: 'VictimEvicted',
    data: { ...victim(state, order.rank), evictionId, resources, ...why, recovered },
  };
}

export function victimRefused(
  state: RunState,
  rank: number,
  said: Pick<Notice, 'code' | 'message'>,
  retryAt: string | undefined,
): DomainEvent {
  const { code, message } = said;
  const about = ofVictim(planned(state, rank));
  const data = { ...victim(state, rank), code, message, about, ...(retryAt !== undefined && { retryAt }) };
  return { name: 'VictimRefused', data };
}

export function victimGone(
  state: RunState,
  rank: number,
  code: 'gone' | 'leaving' | 'other-incarnation' | 'gone-after-request',
): DomainEvent<'VictimGone'> {
  const messages = {
    gone: 'It had gone before it was to be evicted.',
    leaving: 'It was leaving already when it was to be evicted.',
    'other-incarnation': 'Another incarnation stands under its id; it is left alone.',
    'gone-after-request':
      'Curtail had asked for its eviction and has no answer; whether that ended it, or something else did, is not known.',
  };
  const about = ofVictim(planned(state, rank));
  return { name: 'VictimGone', data: { ...victim(state, rank), code, message: messages[code], about } };
}

export function victimSpared(
  state: RunState,
  rank: number,
  { code, message, about }: Notice,
): DomainEvent<'VictimSpared'> {
  return { name: 'VictimSpared', data: { ...victim(state, rank), code, message, about } };
}

/** @param why without `about` where it is about the victim itself. */
export function victimFailed(
  state: RunState,
  rank: number,
  { code, message, about = ofVictim(planned(state, rank)) }: Omit<Notice, 'about'> & Partial<Notice>,
): DomainEvent {
  return { name: 'VictimFailed', data: { ...victim(state, rank), code, message, about } };
}

export const ofVictim = ({ allocation, queue }: Pick<PlannedVictim, 'allocation' | 'queue'>): Subject => ({
  kind: 'allocation',
  name: allocation,
  queue,
});

function victim(state: RunState, rank: number) {
  const run = state.planned;
  assert(run, 'there is no plan');
  return victimOfRun(run, planned(state, rank));
}

/** What each event of a victim says of it. */
export function victimOfRun(
  { partition, queue, enforcement }: Pick<PlannedRun, 'partition' | 'queue' | 'enforcement'>,
  { allocation, uid, application, queue: victimQueue, rank }: WhichVictim,
) {
  return {
    partition,
    queue,
    enforcement,
    allocation,
    ...(uid !== undefined && { uid }),
    application,
    victimQueue,
    rank,
  };
}

function planned(state: RunState, rank: number) {
  const found = state.planned?.plan.victims[rank - 1];
  assert(found, `there is no victim of rank ${rank}`);
  return found;
}
