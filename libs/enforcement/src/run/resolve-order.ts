import type { DomainEvent } from '#contracts';
import { toMs } from '../instants.js';
import { abortReason } from './abort-reason.js';
import { noAnswer, refusedOrFailed } from './answer.js';
import type { RunControl } from './control.js';
import { whySpared } from './decide-victims.js';
import { abortWithOrder } from './end.js';
import type { VictimFacts } from './facts.js';
import { judgedAgain } from './rejudge.js';
import { assert, type OpenOrder, type RunState } from './run-state.js';
import { extended } from './state.js';
import { check, killOf, type Step, stopAt, waitForCluster } from './step.js';
import { lastExtension, mannerOf } from './unit.js';
import {
  victimEvictedEvent,
  victimFailedEvent,
  victimGoneEvent,
  victimRefusedEvent,
  victimSparedEvent,
} from './victim-events.js';
import { type Presence, presence } from './victim-place.js';

/**
 * Resolves an order without an outcome: whether the kill was sent, only the cluster knows. A kill that the cluster
 * carried out is recorded as evicted; a victim that left otherwise is recorded as gone. A victim that still runs is
 * killed under the same eviction id, unless the run may no longer kill or the victim would not be ordered today: then
 * it is spared once its request can no longer be carried out.
 */
export function resolve(
  state: RunState,
  order: OpenOrder,
  now: string,
  control: RunControl,
  facts: VictimFacts | undefined,
): Step {
  const victim = state.planned?.plan.victims[order.rank - 1];
  assert(victim, `there is no victim of rank ${order.rank}`);
  const rejudged = judgedAgain(state, control);
  if (rejudged) return { kind: 'append', events: [rejudged] };
  if (facts?.rank !== order.rank) return check(state, [victim], order.evictionId);
  const reason = abortReason(state, now, control);
  if ('unreachable' in facts) {
    if (toMs(now) < toMs(state.opened?.deadlineAt ?? now)) return waitForCluster(state, now, control);
    const message = `The eviction may have been requested; the cluster is unreachable: ${facts.unreachable}`;
    return {
      kind: 'append',
      events: [victimFailedEvent(state, order.rank, { code: 'outcome-unknown', message })],
    };
  }
  const { allocation } = facts;
  const found = presence(victim, allocation);
  if (found !== 'running' || !allocation) {
    const isOpen = facts.openUntil !== undefined && toMs(now) < toMs(facts.openUntil);
    // Its answer may be on the way, and shows who ended it.
    if (facts.carriedOut === undefined && isOpen) return waitForCluster(state, now, control);
    return { kind: 'append', events: [outcomeOfOrder(state, order, found, facts.carriedOut)] };
  }
  const spare =
    reason ??
    stopAt(state, victim, control) ??
    whySpared(state, victim, allocation, now, control, facts, mannerOf(state, victim));
  // The request may still be carried out: a victim must not be recorded as spared and evicted afterwards.
  if (spare && facts.openUntil !== undefined && toMs(now) < toMs(facts.openUntil)) {
    return { kind: 'wait', for: 'cluster', until: facts.openUntil };
  }
  if (reason) return { kind: 'append', events: abortWithOrder(state, order, reason) };
  if (spare) return { kind: 'append', events: [victimSparedEvent(state, order.rank, spare)] };
  // Extended after its order, before its request: the request has not been made.
  const extension = facts.carriedOut === false ? lastExtension(state, victim) : undefined;
  if (extension && extension.ms > toMs(now)) {
    const { of, until } = extension;
    const owner =
      of === victim ? 'Its owner' : `The owner of ${of.allocation}, which is evicted together with it,`;
    const refusal = { code: extended, message: `${owner} extended its time until ${until}.` };
    return { kind: 'append', events: [victimRefusedEvent(state, order.rank, refusal, until)] };
  }
  if (facts.unanswered !== undefined) {
    const refusal = noAnswer(facts.unanswered);
    return { kind: 'append', events: refusedOrFailed(state, order, now, refusal, control.limits) };
  }
  return { kind: 'send', kill: killOf(state, victim, order.evictionId, facts.carriedOut !== false) };
}

/** Records an ordered allocation that no longer runs, and who ended it as far as that is known. */
function outcomeOfOrder(
  state: RunState,
  order: OpenOrder,
  found: Presence,
  carriedOut: boolean | undefined,
): DomainEvent {
  if (carriedOut) return victimEvictedEvent(state, order, true);
  if (found === 'other-incarnation') return victimGoneEvent(state, order.rank, found);
  if (carriedOut === undefined) return victimGoneEvent(state, order.rank, 'gone-after-request');
  return victimGoneEvent(state, order.rank, found === 'leaving' ? 'leaving' : 'gone');
}
