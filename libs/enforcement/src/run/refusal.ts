import type { DomainEvent } from '@curtail/contracts';
import { addMs, toMs } from '../instants.js';
import type { RunLimits } from './control.js';
import { countedAttempts, notifiesInOneRound, type OpenOrder, type RunState } from './state.js';
import { victimFailed, victimRefused } from './victim-events.js';

/** Why the open order is not carried out, and whether it may be later. */
export interface Refusal {
  retryable: boolean;
  code: string;
  message: string;
  retryAfterMs?: number;
}

/** The platform has said nothing, and may not carry the order out any more. */
export const noAnswer = (message: string): Refusal => ({ retryable: true, code: 'no-answer', message });

/**
 * Closes an open order as refused. One that may pass is tried again with a growing pause, within the attempts and the deadline,
 * and others go on meanwhile; otherwise the victim has failed. A disruption budget without room counts as no attempt: it is asked
 * until the deadline.
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
  // A round does not come back to anybody: the next one does, by what is true then.
  const mayRepeat =
    !notifiesInOneRound(state) && countedAttempts(state, order.rank, refusal.code) < limits.maxAttempts;
  const again = refusal.retryable && mayRepeat && toMs(retryAt) < toMs(deadlineAt);
  if (again) return [victimRefused(state, order.rank, refusal, retryAt)];
  return [victimRefused(state, order.rank, refusal, undefined), victimFailed(state, order.rank, refusal)];
}

/** Doubled with each attempt, up to the largest; what the cluster asks for is the least. */
function pauseMs(attempt: number, { backOffMs, maxBackOffMs }: RunLimits, askedForMs: number): number {
  const doubled = backOffMs * 2 ** Math.min(attempt - 1, 30);
  return Math.max(Math.min(doubled, maxBackOffMs), askedForMs);
}
