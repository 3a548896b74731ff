import type { DomainEvent } from '#contracts';
import type { RunControl } from './control.js';
import { refusedOrFailed } from './refusal.js';
import { assert, type RunState } from './run-state.js';
import type { Kill } from './step.js';
import { victimEvicted, victimGone } from './victim-events.js';

/** The answer of the cluster to a kill. */
export type KillAnswer =
  | { kind: 'accepted'; repeated: boolean }
  | { kind: 'gone' }
  | { kind: 'other-incarnation'; uid: string }
  | { kind: 'refused'; retryable: boolean; code: string; message: string; retryAfterMs?: number };

/**
 * Converts the answer to the kill of an open order to events. Only kills that the cluster confirms count as evicted: a
 * victim that is gone when its kill is sent again may or may not have been ended by the first one. A refusal that may
 * pass is retried with growing pauses, within the attempts and the deadline; otherwise the victim has failed. A missing
 * answer is not recorded: the order stays open and is resolved later.
 */
export function recordAnswer(
  state: RunState,
  now: string,
  kill: Kill,
  answer: KillAnswer,
  { limits }: Pick<RunControl, 'limits'>,
): DomainEvent[] {
  const order = state.openOrders.get(kill.rank);
  assert(order?.evictionId === kill.evictionId, `${kill.evictionId} is answered, but is not an open order`);
  switch (answer.kind) {
    case 'accepted':
      if (answer.repeated && !kill.resent) return [victimGone(state, order.rank, 'leaving')];
      return [victimEvicted(state, order, kill.resent)];
    case 'gone':
      return [victimGone(state, order.rank, kill.resent ? 'gone-after-request' : 'gone')];
    case 'other-incarnation':
      return [victimGone(state, order.rank, answer.kind)];
    case 'refused':
      return refusedOrFailed(state, order, now, answer, limits);
  }
}
