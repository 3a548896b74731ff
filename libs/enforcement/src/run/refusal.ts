import { type DomainEvent, pauseAfter } from '#contracts';
import { addMs, toMs } from '../instants.js';
import type { RunLimits } from './control.js';
import type { OpenOrder, RunState } from './run-state.js';
import { countedAttempts, notifiesInOneRound, unanswered } from './state.js';
import { victimFailed, victimRefused } from './victim-events.js';

/** Why the open order is not carried out, and whether it may be later. */
export interface Refusal {
  retryable: boolean;
  code: string;
  message: string;
  retryAfterMs?: number;
}

/** The platform has not answered, and can no longer carry the order out. */
export const noAnswer = (message: string): Refusal => ({ retryable: true, code: unanswered, message });

/**
 * Closes an open order as refused. A refusal that may pass is retried with growing pauses, within the attempts and the
 * deadline, while other victims proceed; otherwise the victim has failed. A disruption budget without room does not
 * count as an attempt: the eviction is requested again until the deadline.
 */
export function refusedOrFailed(
  state: RunState,
  order: OpenOrder,
  now: string,
  refusal: Refusal,
  limits: RunLimits,
): DomainEvent[] {
  const retryAt = addMs(now, pauseMs(order.attempt, limits, refusal.retryAfterMs ?? 0));
  const deadlineAt = state.opened?.deadlineAt ?? now;
  // A round does not retry: the next one decides from a fresh snapshot.
  const mayRepeat =
    !notifiesInOneRound(state) && countedAttempts(state, order.rank, refusal.code) < limits.maxAttempts;
  const again = refusal.retryable && mayRepeat && toMs(retryAt) < toMs(deadlineAt);
  if (again) return [victimRefused(state, order.rank, refusal, retryAt)];
  return [victimRefused(state, order.rank, refusal, undefined), victimFailed(state, order.rank, refusal)];
}

/** Doubled with each attempt, up to the maximum; never shorter than the pause that the cluster asks for. */
function pauseMs(attempt: number, { backOffMs, maxBackOffMs }: RunLimits, askedForMs: number): number {
  return Math.max(pauseAfter(attempt, { first: backOffMs, longest: maxBackOffMs }), askedForMs);
}
