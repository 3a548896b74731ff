import type { DomainEvent, Notice } from '#contracts';
import {
  assert,
  type OpenOrder,
  ofVictim,
  type PlannedRun,
  type PlannedVictim,
  type RunState,
} from './run-state.js';
import { notifiesInOneRound } from './state.js';

/** The fields that name a victim of a plan. */
export type WhichVictim = Pick<PlannedVictim, 'allocation' | 'uid' | 'application' | 'queue' | 'rank'>;

/* The events of a victim; the fields that all of them share are filled in here. */

export function victimOrderedEvent(
  state: RunState,
  order: OpenOrder,
  orderedAt: string,
): DomainEvent<'VictimOrdered'> {
  const { rank, ...ordered } = order;
  return { name: 'VictimOrdered', data: { ...victim(state, rank), ...ordered, orderedAt } };
}

export function victimNotifiedEvent(
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

export function victimEvictedEvent(state: RunState, order: OpenOrder, recovered: boolean): DomainEvent {
  const { evictionId, resources, secondsLost } = order;
  const { reason, cause } = planned(state, order.rank);
  const why = cause === undefined ? { reason } : { reason, cause };
  return {
    name: 'VictimEvicted',
    data: {
      ...victim(state, order.rank),
      evictionId,
      resources,
      ...(secondsLost !== undefined && { secondsLost }),
      ...why,
      recovered,
    },
  };
}

export function victimRefusedEvent(
  state: RunState,
  rank: number,
  refusal: Pick<Notice, 'code' | 'message'>,
  retryAt: string | undefined,
): DomainEvent {
  const { code, message } = refusal;
  const about = ofVictim(planned(state, rank));
  const data = { ...victim(state, rank), code, message, about, ...(retryAt !== undefined && { retryAt }) };
  return { name: 'VictimRefused', data };
}

export function victimGoneEvent(
  state: RunState,
  rank: number,
  code: 'gone' | 'leaving' | 'other-incarnation' | 'gone-after-request',
): DomainEvent<'VictimGone'> {
  const messages = {
    gone: 'It was gone before its eviction.',
    leaving: 'It was already leaving before its eviction.',
    'other-incarnation': 'Another incarnation has its id and was not touched.',
    'gone-after-request':
      'Curtail requested its eviction and received no answer; whether the request ended it is not known.',
  };
  const about = ofVictim(planned(state, rank));
  // An earlier request may have been carried out after its time.
  const isUnanswered = code !== 'other-incarnation' && state.refusals.get(rank)?.isUnanswered;
  const because = isUnanswered ? 'gone-after-request' : code;
  return {
    name: 'VictimGone',
    data: { ...victim(state, rank), code: because, message: messages[because], about },
  };
}

export function victimSparedEvent(
  state: RunState,
  rank: number,
  { code, message, about }: Notice,
): DomainEvent<'VictimSpared'> {
  return { name: 'VictimSpared', data: { ...victim(state, rank), code, message, about } };
}

/** @param why without `about` where it is about the victim itself. */
export function victimFailedEvent(
  state: RunState,
  rank: number,
  { code, message, about = ofVictim(planned(state, rank)) }: Omit<Notice, 'about'> & Partial<Notice>,
): DomainEvent<'VictimFailed'> {
  return { name: 'VictimFailed', data: { ...victim(state, rank), code, message, about } };
}

function victim(state: RunState, rank: number) {
  const run = state.planned;
  assert(run, 'there is no plan');
  return victimOfRun(run, planned(state, rank));
}

/** The fields of a victim that each of its events has. */
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
