import {
  chain,
  type DomainEvent,
  type Notice,
  ofEnforcement,
  type Resources,
  type SnapshotAllocation,
} from '@curtail/contracts';
import { addMs, toInstant, toMs } from '../instants.js';
import { type Abort, abortReason, type RunControl, stopOf } from './control.js';
import { abort, abortWithOrder, endOfWork, endWithoutPlan, queueToCheck } from './end.js';
import type { QueueFacts, ReachableFacts, VictimFacts } from './facts.js';
import { noMoreNeed } from './need.js';
import { noAnswer, refusedOrFailed } from './refusal.js';
import { hasUnknownQuota, judgedAgain, notNeededAnyMore } from './rejudge.js';
import { awaitsMate, isTooLateToAsk, matesToCheck, roomLost, startLost, tooLateToAsk } from './starts.js';
import {
  assert,
  hasOutcome,
  notifiesInOneRound,
  type OpenOrder,
  type PlannedVictim,
  type RunState,
} from './state.js';
import { type Presence, presence, spareReason } from './victim-checks.js';
import { victimEvicted, victimFailed, victimGone, victimOrdered, victimSpared } from './victim-events.js';

/** A kill to be sent. What it says is recorded before; the driver adds how long the owner has. */
export interface Kill {
  partition: string;
  rank: number;
  allocation: string;
  uid?: string;
  evictionId: string;
  reason: string;
  /** It may have been sent before, and nothing is known of that. */
  resent: boolean;
}

/** What the executor does next. After each but `done` and `wait` it asks again. */
export type Step =
  /** Not open yet: append `openRun`. */
  | { kind: 'open' }
  /** Nothing to do before `until`, or before an event that is waited for. */
  | { kind: 'wait'; for: 'plan' | 'approval' | 'back-off' | 'grace' | 'rate' | 'cluster'; until?: string }
  /** Find out about this victim and ask again with the facts. */
  | {
      kind: 'check';
      victim: PlannedVictim;
      /** Those of the same start that have to be looked at with it. */
      beside: PlannedVictim[];
      queues: string[];
      /** Of its order, where that is open, from before a crash or a lost answer. */
      evictionId?: string;
    }
  /** All victims have their outcome: find out about the enforced queue and ask again with the facts. */
  | { kind: 'check-queue'; max: Resources }
  /** Of a round: tell the owners of these, or ask them to finish, and append `victimNotified` of each. */
  | { kind: 'notify'; victims: PlannedVictim[] }
  /** Append the event, then send the kill, then append `recordAnswer`. */
  | { kind: 'order'; event: DomainEvent<'VictimOrdered'>; kill: Kill }
  /** Send the kill of the open order once more, then append `recordAnswer`. */
  | { kind: 'send'; kill: Kill }
  | { kind: 'append'; events: DomainEvent[] }
  | { kind: 'done' };

/**
 * The next step of a run, from what is recorded, the time, and what has a say now. Facts are those that the step before
 * asked for; facts about another victim are not looked at. Everything that must hold before a kill is checked here, in
 * this order: lock, mode, kill switch, cancel, switch of the policy, approval, deadline, quota in force, back-off, rate,
 * presence, need, floors, its start.
 */
export function nextStep(
  state: RunState,
  now: string,
  control: RunControl,
  facts?: VictimFacts | QueueFacts,
): Step {
  const [ofVictim, ofQueue] = facts && !('rank' in facts) ? [undefined, facts] : [facts, undefined];
  if (state.ended) return { kind: 'done' };
  if (state.planFailed) return { kind: 'append', events: [endWithoutPlan(state)] };
  if (!state.planned) return { kind: 'wait', for: 'plan' };
  if (!state.opened) return { kind: 'open' };
  if (state.openOrder) return resolve(state, state.openOrder, now, control, ofVictim);

  const { victims } = state.planned.plan;
  if (victims.length === 0 || state.settledUpTo === victims.length) {
    return finish(state, now, control, ofQueue);
  }
  const reason = abortReason(state, now, control);
  if (reason) return { kind: 'append', events: abort(state, reason) };
  const { needsApproval, deadlineAt } = state.opened;
  const toTell = (state.opened.notify ?? []).filter((rank) => !hasOutcome(state, rank));
  if (toTell.length > 0) return { kind: 'notify', victims: toTell.map((rank) => victims[rank - 1]!) };
  if (needsApproval && !state.approved) return { kind: 'wait', for: 'approval', until: deadlineAt };
  if (needsApproval && notifiesInOneRound(state))
    return { kind: 'append', events: abort(state, approvedRound(state.opened.enforcement)) };

  const rejudged = judgedAgain(state, control);
  if (rejudged) return { kind: 'append', events: [rejudged] };
  if (hasUnknownQuota(state, control)) return waitForCluster(state, now, control);

  const victim = nextVictim(state, victims, now);
  if (!victim) {
    const waitsFor = state.refusals.size > 0 ? 'back-off' : 'grace';
    return { kind: 'wait', for: waitsFor, until: earliestOf(state, victims, deadlineAt) };
  }
  const stop = stopAt(state, victim, control);
  if (stop) return { kind: 'append', events: [victimSpared(state, victim.rank, stop)] };
  const free = rateFreeAt(state, now, control.limits.victimsPerSecond);
  if (free !== undefined) return { kind: 'wait', for: 'rate', until: earlier(free, deadlineAt) };
  return checked(state, victim, now, control, ofVictim);
}

/**
 * The last step of a run whose victims all have their outcome. A cluster that does not answer is waited for, unless there is a
 * reason to end at once.
 */
function finish(state: RunState, now: string, control: RunControl, facts: QueueFacts | undefined): Step {
  if (queueToCheck(state)) {
    if (!facts) return { kind: 'check-queue', max: state.opened?.max ?? {} };
    if ('unreachable' in facts && !abortReason(state, now, control))
      return waitForCluster(state, now, control);
  }
  return { kind: 'append', events: [endOfWork(state, facts)] };
}

/** Its plan has grown old while it waited for the approval, which counts for the rounds that follow. */
const approvedRound = (enforcement: string): Abort => ({
  outcome: 'notified',
  code: 'approved',
  message: 'The kills are approved: the next round evicts whom it still chooses.',
  about: ofEnforcement(enforcement),
});

/** The victim of the lowest rank without an outcome that waits neither for a retry, nor for its time to finish, nor for a mate. */
function nextVictim(
  state: RunState,
  victims: readonly PlannedVictim[],
  now: string,
): PlannedVictim | undefined {
  const { waits, metUpTo } = state;
  const nowMs = toMs(now);
  for (const rank of waits.ranks()) {
    if (rank > metUpTo) break;
    if (waits.get(rank)! <= nowMs && !awaitsMate(state, victims[rank - 1]!)) return victims[rank - 1];
  }
  for (let i = metUpTo; i < victims.length; i++) {
    const victim = victims[i]!;
    if (hasOutcome(state, victim.rank) || awaitsMate(state, victim)) continue;
    if ((waits.get(victim.rank) ?? 0) <= nowMs) return victim;
  }
  return undefined;
}

/** When a victim that waits may be looked at, or the run is over. */
function earliestOf(state: RunState, victims: readonly PlannedVictim[], deadlineAt: string): string {
  let earliestMs = toMs(deadlineAt);
  for (const rank of state.waits.ranks()) {
    const ms = state.waits.get(rank)!;
    if (ms < earliestMs && !awaitsMate(state, victims[rank - 1]!)) earliestMs = ms;
  }
  return toInstant(earliestMs);
}

/** When the next order may be given, or undefined for now: at most `perSecond` orders within any 1000 ms. */
function rateFreeAt(state: RunState, now: string, perSecond: number): string | undefined {
  assert(Number.isInteger(perSecond) && perSecond >= 1, 'the rate is no whole number of victims per second');
  const nowMs = toMs(now);
  // What seems to lie ahead was ordered before the machine's clock was set back: waiting for it might take hours.
  const blocking = state.recentOrdersMs.filter((orderedMs) => orderedMs <= nowMs).at(-perSecond);
  if (blocking === undefined || blocking + 1000 <= nowMs) return undefined;
  return toInstant(blocking + 1000);
}

function whySpared(
  state: RunState,
  victim: PlannedVictim,
  live: SnapshotAllocation,
  now: string,
  control: RunControl,
  facts: ReachableFacts,
): Notice | undefined {
  const { need } = facts;
  return (
    spareReason(state, victim, live, facts) ??
    (need && (noMoreNeed(state, victim, live.resources, need) ?? roomLost(state, victim, need))) ??
    startLost(state, victim, now, control, facts)
  );
}

function checked(
  state: RunState,
  victim: PlannedVictim,
  now: string,
  control: RunControl,
  facts: VictimFacts | undefined,
): Step {
  const { rank } = victim;
  if (facts?.rank !== rank) return check(state, victim);
  if ('unreachable' in facts) return waitForCluster(state, now, control);
  const notNeeded = notNeededAnyMore(state, facts);
  if (notNeeded) return { kind: 'append', events: abort(state, notNeeded) };
  const { allocation } = facts;
  const found = presence(victim, allocation);
  if (found !== 'running' || !allocation) {
    return { kind: 'append', events: [victimGone(state, rank, found === 'running' ? 'gone' : found)] };
  }
  const spare = whySpared(state, victim, allocation, now, control, facts);
  if (spare) return { kind: 'append', events: [victimSpared(state, rank, spare)] };
  if (isTooLateToAsk(state, victim, now)) {
    return { kind: 'append', events: [victimSpared(state, rank, tooLateToAsk(victim))] };
  }
  if ((victim.gracePeriodMs ?? 0) > 0 && !state.killAt.has(rank))
    return { kind: 'notify', victims: [victim] };
  const attempt = (state.refusals.get(rank)?.attempts ?? 0) + 1;
  const evictionId = `${state.planned?.enforcement}-${rank}-${attempt}`;
  const order: OpenOrder = { rank, attempt, evictionId, resources: allocation.resources };
  return {
    kind: 'order',
    event: victimOrdered(state, order, now),
    kill: killOf(state, victim, evictionId, false),
  };
}

/**
 * An order without an outcome: the kill may have been sent or not, and only the cluster can tell. What it carried out is
 * recorded as evicted; what is not there any more otherwise is recorded as gone. What still runs is killed under the same eviction id, unless the run
 * must not kill any more, or the victim would not be ordered today: then, once its request cannot be carried out any more.
 */
function resolve(
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
  if (facts?.rank !== order.rank) return check(state, victim, order.evictionId);
  const reason = abortReason(state, now, control);
  if ('unreachable' in facts) {
    if (toMs(now) < toMs(state.opened?.deadlineAt ?? now)) return waitForCluster(state, now, control);
    const message = `The kill may have been sent; the cluster cannot be asked: ${facts.unreachable}`;
    return {
      kind: 'append',
      events: [victimFailed(state, order.rank, { code: 'outcome-unknown', message })],
    };
  }
  const { allocation } = facts;
  const found = presence(victim, allocation);
  if (found !== 'running' || !allocation) {
    const isOpen = facts.openUntil !== undefined && toMs(now) < toMs(facts.openUntil);
    // Its answer may be on the way, and says who ended it.
    if (facts.carriedOut === undefined && isOpen) return waitForCluster(state, now, control);
    return { kind: 'append', events: [whatBecameOf(state, order, found, facts.carriedOut)] };
  }
  const spare =
    reason ?? stopAt(state, victim, control) ?? whySpared(state, victim, allocation, now, control, facts);
  // What was asked for may still be done: it is not on record as spared and then evicted.
  if (spare && facts.openUntil !== undefined && toMs(now) < toMs(facts.openUntil)) {
    return { kind: 'wait', for: 'cluster', until: facts.openUntil };
  }
  if (reason) return { kind: 'append', events: abortWithOrder(state, order, reason) };
  if (spare) return { kind: 'append', events: [victimSpared(state, order.rank, spare)] };
  if (facts.unanswered !== undefined) {
    const refusal = noAnswer(facts.unanswered);
    return { kind: 'append', events: refusedOrFailed(state, now, refusal, control.limits) };
  }
  return { kind: 'send', kill: killOf(state, victim, order.evictionId, facts.carriedOut !== false) };
}

/** Of an allocation that was ordered to go and does not run any more: who ended it, as far as that is known. */
function whatBecameOf(
  state: RunState,
  order: OpenOrder,
  found: Presence,
  carriedOut: boolean | undefined,
): DomainEvent {
  if (carriedOut) return victimEvicted(state, order, true);
  if (found === 'other-incarnation') return victimGone(state, order.rank, found);
  if (carriedOut === undefined) return victimGone(state, order.rank, 'gone-after-request');
  return victimGone(state, order.rank, found === 'leaving' ? 'leaving' : 'gone');
}

function check(state: RunState, victim: PlannedVictim, evictionId?: string): Step {
  const enforced = state.planned?.queue ?? victim.queue;
  const beside = matesToCheck(state, victim);
  const queues = new Set([victim, ...beside].flatMap(({ queue }) => chain(queue)));
  return {
    kind: 'check',
    victim,
    beside,
    queues: [...queues.add(enforced)],
    ...(evictionId !== undefined && { evictionId }),
  };
}

function waitForCluster(state: RunState, now: string, { limits }: RunControl): Step {
  const until = addMs(now, Math.max(limits.backOffMs, 1));
  const deadlineAt = state.opened?.deadlineAt ?? until;
  return { kind: 'wait', for: 'cluster', until: earlier(until, deadlineAt) };
}

function stopAt({ planned }: RunState, { queue }: PlannedVictim, control: RunControl): Notice | undefined {
  return stopOf({ partition: planned?.partition ?? '', queue }, control);
}

function killOf(state: RunState, victim: PlannedVictim, evictionId: string, resent: boolean): Kill {
  const { rank, allocation, uid, reason } = victim;
  const partition = state.planned?.partition ?? '';
  return { partition, rank, allocation, ...(uid !== undefined && { uid }), evictionId, reason, resent };
}

function earlier(a: string, b: string): string {
  return toMs(a) <= toMs(b) ? a : b;
}
