import type { DomainEvent } from '@curtail/contracts';
import type { RunControl } from './control.js';
import type { Kill } from './next-step.js';
import { refusedOrFailed } from './refusal.js';
import { assert, type RunState } from './state.js';
import { victimEvicted, victimGone } from './victim-events.js';

/** What the cluster says to a kill. */
export type KillAnswer =
  | { kind: 'accepted'; repeated: boolean }
  | { kind: 'gone' }
  | { kind: 'other-incarnation'; uid: string }
  | { kind: 'refused'; retryable: boolean; code: string; message: string; retryAfterMs?: number };

/**
 * The answer to the kill of an open order, as events. Only what the cluster says it carries out counts as evicted: what is
 * gone when a kill is sent again may have been ended by the first one, or not. A refusal that may pass is tried again with a growing pause, within the attempts and
 * the deadline; otherwise the victim has failed. No answer at all is not recorded: the order stays open and is resolved.
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
