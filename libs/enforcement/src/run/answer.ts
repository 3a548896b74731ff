import { type DomainEvent, pauseAfter } from '#contracts';
import { addMs, toMs } from '../instants.js';
import type { RunControl, RunLimits } from './control.js';
import { assert, type OpenOrder, type RunState } from './run-state.js';
import { countedAttempts, notifiesInOneRound, unanswered } from './state.js';
import type { Eviction } from './step.js';
import {
  victimEvictedEvent,
  victimFailedEvent,
  victimGoneEvent,
  victimRefusedEvent,
} from './victim-events.js';

/** The answer of the cluster to a kill. */
export type AnswerToEviction =
  | { kind: 'accepted'; repeated: boolean }
  | { kind: 'gone' }
  | { kind: 'other-incarnation'; uid: string }
  | { kind: 'refused'; retryable: boolean; code: string; message: string; retryAfterMs?: number };

/**
 * Converts the answer to the kill of an open order to events. Only kills that the cluster confirms count as evicted: a
 * victim that is gone when its eviction is sent again may or may not have been ended by the first one. A refusal that may
 * pass is retried with growing pauses, within the attempts and the deadline; otherwise the victim has failed. A missing
 * answer is not recorded: the order stays open and is resolved later.
 */
export function recordAnswer(
  state: RunState,
  now: string,
  kill: Eviction,
  answer: AnswerToEviction,
  { limits }: Pick<RunControl, 'limits'>,
): DomainEvent[] {
  const order = state.openOrders.get(kill.rank);
  assert(order?.evictionId === kill.evictionId, `${kill.evictionId} is answered, but is not an open order`);
  switch (answer.kind) {
    case 'accepted':
      if (answer.repeated && !kill.resent) return [victimGoneEvent(state, order.rank, 'leaving')];
      return [victimEvictedEvent(state, order, kill.resent)];
    case 'gone':
      return [victimGoneEvent(state, order.rank, kill.resent ? 'gone-after-request' : 'gone')];
    case 'other-incarnation':
      return [victimGoneEvent(state, order.rank, answer.kind)];
    case 'refused':
      return refusedOrFailed(state, order, now, answer, limits);
  }
}

/** Why the open order is not carried out, and whether it may be later. */
export interface RefusalOfCluster {
  retryable: boolean;
  code: string;
  message: string;
  retryAfterMs?: number;
}

/** The platform has not answered, and can no longer carry the order out. */
export const noAnswer = (message: string): RefusalOfCluster => ({
  retryable: true,
  code: unanswered,
  message,
});

/**
 * Closes an open order as refused. A refusal that may pass is retried with growing pauses, within the attempts and the
 * deadline, while other victims proceed; otherwise the victim has failed. A disruption budget without room does not
 * count as an attempt: the eviction is requested again until the deadline.
 */
export function refusedOrFailed(
  state: RunState,
  order: OpenOrder,
  now: string,
  refusal: RefusalOfCluster,
  limits: RunLimits,
): DomainEvent[] {
  const retryAt = addMs(now, pauseMs(order.attempt, limits, refusal.retryAfterMs ?? 0));
  const deadlineAt = state.opened?.deadlineAt ?? now;
  // A round does not retry: the next one decides from a fresh snapshot.
  const mayRepeat =
    !notifiesInOneRound(state) && countedAttempts(state, order.rank, refusal.code) < limits.maxAttempts;
  const again = refusal.retryable && mayRepeat && toMs(retryAt) < toMs(deadlineAt);
  if (again) return [victimRefusedEvent(state, order.rank, refusal, retryAt)];
  return [
    victimRefusedEvent(state, order.rank, refusal, undefined),
    victimFailedEvent(state, order.rank, refusal),
  ];
}

/** Doubled with each attempt, up to the maximum; never shorter than the pause that the cluster asks for. */
function pauseMs(attempt: number, { backOffMs, maxBackOffMs }: RunLimits, askedForMs: number): number {
  return Math.max(pauseAfter(attempt, { first: backOffMs, longest: maxBackOffMs }), askedForMs);
}
