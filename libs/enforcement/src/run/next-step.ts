import {
  chain,
  type DomainEvent,
  type Notice,
  ofEnforcement,
  type Resources,
  type SnapshotAllocation,
} from '@curtail/contracts';
import { sum } from '../amounts.js';
import { addMs, toInstant, toMs } from '../instants.js';
import { type Abort, abortReason } from './abort-reason.js';
import { type RunControl, stopOf } from './control.js';
import { abort, abortWithOrder, endOfWork, endWithoutPlan, queueToCheck } from './end.js';
import type { QueueFacts, ReachableFacts, VictimFacts } from './facts.js';
import { awaitsApproval, ceilingsLifted, heldBack } from './held.js';
import { extendedUntil } from './owner-answers.js';
import { noAnswer, refusedOrFailed } from './refusal.js';
import { hasUnknownQuota, judgedAgain, notNeededAnyMore } from './rejudge.js';
import { assert, hasOutcome, type OpenOrder, type PlannedVictim, type RunState } from './run-state.js';
import { extended, isRound, notifiesInOneRound, ownChecks, withOpenOrder } from './state.js';
import { isTooLateToAsk, tooLateToAsk } from './time-to-finish.js';
import { lastExtension, type Manner, mannerOf, readyAtMs, unitOf } from './unit.js';
import { notNeeded, spareReason } from './victim-checks.js';
import {
  victimEvicted,
  victimFailed,
  victimGone,
  victimOrdered,
  victimRefused,
  victimSpared,
} from './victim-events.js';
import { type Presence, presence } from './victim-place.js';
import { secondsLost } from './work-lost.js';

/** A kill to be sent. It is recorded before it is sent; the driver adds the grace period of the owner. */
export interface Kill {
  partition: string;
  rank: number;
  allocation: string;
  uid?: string;
  evictionId: string;
  reason: string;
  /** It may have been sent before; whether it was is not known. */
  resent: boolean;
}

/** The next action of the executor. After each but `done` and `wait` it asks again. */
export type Step =
  /** Not open yet: append `openRun`. */
  | { kind: 'open' }
  /** Nothing to do before `until`, or before an event that is waited for. */
  | {
      kind: 'wait';
      for: 'plan' | 'approval' | 'back-off' | 'grace' | 'extension' | 'rate' | 'cluster';
      until?: string;
    }
  /** Gather the facts about these victims, by rank, and ask again with the facts of each. */
  | {
      kind: 'check';
      victims: PlannedVictim[];
      /** Victims of the same start that have to be checked with the first one. */
      beside: PlannedVictim[];
      queues: string[];
      /** The id of its open order, left by a crash or a lost answer; then it is the only victim. */
      evictionId?: string;
    }
  /** All victims have their outcome: gather the facts about the enforced queue, and ask again with them. */
  | { kind: 'check-queue'; max: Resources }
  /** Of a round: notify the owners of these victims, or ask them to finish, and append `victimNotified` for each. */
  | { kind: 'notify'; victims: PlannedVictim[] }
  /** Append the events, then send the kills at the same time, then append `recordAnswer` for each. */
  | {
      kind: 'order';
      events: DomainEvent[];
      kills: Kill[];
      /** All of them or none: fewer cannot be ordered now. */
      isUnit?: true;
    }
  /** Send the kill of the open order once more, then append `recordAnswer`. */
  | { kind: 'send'; kill: Kill }
  | { kind: 'append'; events: DomainEvent[] }
  | { kind: 'done' };

/**
 * Decides the next step of a run from the recorded events, the time and the current controls. `facts` are those that
 * the step before asked for; facts about other victims are ignored. Every condition for a kill is checked here, in this
 * order: lock, mode, kill switch, cancel, rejection, switch of the policy, deadline, approval, ceilings, quota in force,
 * back-off, extension, rate, presence, need, floors, its start.
 */
export function nextStep(
  state: RunState,
  now: string,
  control: RunControl,
  facts: readonly VictimFacts[] | QueueFacts = [],
): Step {
  const [ofVictims, ofQueue] = isOfVictims(facts) ? [facts, undefined] : [[], facts];
  if (state.ended) return { kind: 'done' };
  if (state.planFailed) return { kind: 'append', events: [endWithoutPlan(state)] };
  if (!state.planned) return { kind: 'wait', for: 'plan' };
  if (!state.opened) return { kind: 'open' };
  const order = state.openOrders.first();
  if (order) return resolve(state, order, now, control, ofVictims[0]);

  const { victims } = state.planned.plan;
  if (victims.length === 0 || state.settledUpTo === victims.length) {
    return finish(state, now, control, ofQueue);
  }
  const reason = abortReason(state, now, control);
  if (reason) return { kind: 'append', events: abort(state, reason) };
  const { needsApproval, deadlineAt } = state.opened;
  const toNotify = (state.opened.notify ?? []).filter((rank) => !hasOutcome(state, rank));
  if (toNotify.length > 0) return { kind: 'notify', victims: toNotify.map((rank) => victims[rank - 1]!) };
  if (awaitsApproval(state, control)) return { kind: 'wait', for: 'approval', until: deadlineAt };
  if (needsApproval && notifiesInOneRound(state))
    return { kind: 'append', events: abort(state, approvedRound(state.opened.enforcement)) };

  if (control.ceiling && !ceilingsLifted(state, control))
    return { kind: 'append', events: heldBack(state, control.ceiling) };

  const rejudged = judgedAgain(state, control);
  if (rejudged) return { kind: 'append', events: [rejudged] };
  if (hasUnknownQuota(state, control)) return waitForCluster(state, now, control);

  const rate = rateOf(state, now, control.limits.victimsPerSecond);
  const page = nextVictims(state, now, control, Math.max(1, rate.free));
  if (page.length === 0) {
    return { kind: 'wait', for: whatFor(state, now), until: earliestOf(state, victims, deadlineAt) };
  }
  const stopped = page.flatMap((victim) => {
    const stop = stopAt(state, victim, control);
    return stop ? [victimSpared(state, victim.rank, stop)] : [];
  });
  if (stopped.length > 0) return { kind: 'append', events: stopped };
  const until = rate.until(page.length);
  if (until !== undefined) return { kind: 'wait', for: 'rate', until: earlier(until, deadlineAt) };
  return checked(state, page, now, control, ofVictims);
}

const isOfVictims = (facts: readonly VictimFacts[] | QueueFacts): facts is readonly VictimFacts[] =>
  Array.isArray(facts);

/**
 * The last step of a run whose victims all have their outcome. If the cluster does not answer, the run waits for it,
 * unless there is a reason to end at once.
 */
function finish(state: RunState, now: string, control: RunControl, facts: QueueFacts | undefined): Step {
  if (queueToCheck(state)) {
    if (!facts) return { kind: 'check-queue', max: state.opened?.max ?? {} };
    if ('unreachable' in facts && !abortReason(state, now, control))
      return waitForCluster(state, now, control);
  }
  return { kind: 'append', events: [endOfWork(state, facts)] };
}

/** The plan has grown old while the run waited for the approval. The approval counts for the rounds that follow. */
const approvedRound = (enforcement: string): Abort => ({
  outcome: 'notified',
  code: 'approved',
  message: 'The evictions are approved: the next round evicts the victims that it chooses again.',
  about: ofEnforcement(enforcement),
});

/**
 * The victims of the lowest ranks without an outcome that wait neither for a retry, nor for their time to finish, nor
 * for a mate. Returns at most `most` victims, and only one of a round, because the room that it frees affects the
 * decision about the next one. A unit is a page of its own, however large the pages are.
 */
function nextVictims(state: RunState, now: string, { limits }: RunControl, most: number): PlannedVictim[] {
  assert(
    Number.isInteger(limits.victimsAtOnce) && limits.victimsAtOnce >= 1,
    'the number of victims at once is not a whole number from 1',
  );
  let wanted = isRound(state) ? 1 : Math.min(limits.victimsAtOnce, most);
  const page: PlannedVictim[] = [];
  let unit: readonly PlannedVictim[] = [];
  for (const victim of readyVictims(state, now)) {
    if (page.length > 0 && !unit.includes(victim)) {
      if (unit.length > 1 || unitOf(state, victim).length > 1) break;
    } else if (page.length === 0) {
      unit = unitOf(state, victim);
      if (unit.length > 1) wanted = ownChecks(state)?.units?.most ?? wanted;
    }
    page.push(victim);
    if (page.length === wanted) break;
  }
  return page;
}

function* readyVictims(state: RunState, now: string): Generator<PlannedVictim> {
  const { waits, metUpTo } = state;
  const { victims } = state.planned!.plan;
  const nowMs = toMs(now);
  const own = ownChecks(state);
  for (const rank of waits.ranks()) {
    if (rank > metUpTo) break;
    const victim = victims[rank - 1]!;
    if (readyAtMs(state, victim) <= nowMs && !own?.awaitsOther(state, victim)) yield victim;
  }
  for (let i = metUpTo; i < victims.length; i++) {
    const victim = victims[i]!;
    if (hasOutcome(state, victim.rank) || own?.awaitsOther(state, victim)) continue;
    if (readyAtMs(state, victim) <= nowMs) yield victim;
  }
}

/** What the victims wait for, if each of them waits. */
function whatFor(state: RunState, now: string): 'back-off' | 'extension' | 'grace' {
  for (const rank of state.answers.ranks()) {
    if (!hasOutcome(state, rank) && isExtended(state, rank, now)) return 'extension';
  }
  return state.refusals.size > 0 ? 'back-off' : 'grace';
}

function isExtended(state: RunState, rank: number, now: string): boolean {
  const until = extendedUntil(state, rank);
  return until !== undefined && toMs(until) > toMs(now);
}

/** The time at which a waiting victim may be checked, or the run is over. */
function earliestOf(state: RunState, victims: readonly PlannedVictim[], deadlineAt: string): string {
  let earliestMs = toMs(deadlineAt);
  const own = ownChecks(state);
  for (const rank of state.waits.ranks()) {
    const victim = victims[rank - 1]!;
    const ms = readyAtMs(state, victim);
    if (ms < earliestMs && !own?.awaitsOther(state, victim)) earliestMs = ms;
  }
  return toInstant(earliestMs);
}

/**
 * At most `perSecond` orders within any 1000 ms; a unit that has more victims waits until there were none.
 *
 * @returns how many orders may be given now, and when so many may; undefined: now.
 */
function rateOf(
  state: RunState,
  now: string,
  perSecond: number,
): { free: number; until(orders: number): string | undefined } {
  assert(
    Number.isInteger(perSecond) && perSecond >= 1,
    'the rate is not a whole number of victims per second',
  );
  const nowMs = toMs(now);
  // Orders that seem to be in the future were given before the machine's clock was set back: waiting for them might
  // take hours.
  const recent = state.recentOrdersMs.filter((orderedMs) => orderedMs <= nowMs && orderedMs + 1000 > nowMs);
  return {
    free: perSecond - recent.length,
    until(orders) {
      const blocking = recent[recent.length + Math.min(orders, perSecond) - perSecond - 1];
      return blocking === undefined ? undefined : toInstant(blocking + 1000);
    },
  };
}

function whySpared(
  state: RunState,
  victim: PlannedVictim,
  live: SnapshotAllocation,
  now: string,
  control: RunControl,
  facts: ReachableFacts,
  manner: Manner,
): Notice | undefined {
  const spare = spareReason(state, victim, live, facts, manner !== 'alone');
  if (spare || manner === 'begun') return spare;
  return ownChecks(state)?.whyStays(state, victim, live, { now, control, facts });
}

/**
 * Decides about the victims of a page in their order, as if those ordered before had left already. The usage that a
 * victim is checked against is then never above the usage that it would be checked against alone: its queues stay above
 * their floors, and the enforced queue is still above its quota. A victim is spared only if no order of the page
 * precedes it: whether the victims before it go is not certain, so the page ends before it.
 *
 * A unit is judged as one: if a victim of it stays, all do. Those that are gone already keep nobody.
 */
function checked(
  state: RunState,
  page: readonly PlannedVictim[],
  now: string,
  control: RunControl,
  facts: readonly VictimFacts[],
): Step {
  if (facts[0]?.rank !== page[0]!.rank) return check(state, page);
  if ('unreachable' in facts[0]) return waitForCluster(state, now, control);
  const notNeeded = notNeededAnyMore(state, facts[0]);
  if (notNeeded) return { kind: 'append', events: abort(state, notNeeded) };
  const manner = mannerOf(state, page[0]!);
  if (manner === 'together') {
    if (page.some(({ rank }, i) => facts[i]?.rank !== rank)) return check(state, page);
    if (facts.some((found) => 'unreachable' in found)) return waitForCluster(state, now, control);
    const unneeded = unneededUnit(state, page, facts);
    if (unneeded) return { kind: 'append', events: unneeded };
  }
  const events: DomainEvent[] = [];
  const kills: Kill[] = [];
  let leaving: Resources = {};
  let ordered = state;
  const queues = new Map(facts[0].queues);
  for (const [i, victim] of page.entries()) {
    const found = facts[i];
    if (found?.rank !== victim.rank || 'unreachable' in found) break;
    const { allocation } = found;
    const asIfGone = { ...ordered, freed: sum(state.freed, leaving) };
    const decided = checkedOne(asIfGone, victim, now, control, { ...found, queues }, manner);
    // Only rounds ask their victims to finish, and check them one by one, so there are no other decisions here.
    if (decided === 'notify') return { kind: 'notify', victims: [victim] };
    if (decided.name === 'VictimSpared' && manner === 'together') {
      return { kind: 'append', events: sparedUnit(state, page, facts, decided) };
    }
    if (decided.name === 'VictimSpared' && kills.length > 0) break;
    events.push(decided);
    if (decided.name !== 'VictimOrdered' || !allocation) continue;
    kills.push(killOf(state, victim, decided.data.evictionId, false));
    ordered = withOpenOrder(ordered, decided.data);
    leaving = sum(leaving, allocation.resources);
    for (const path of chain(allocation.queue)) {
      const queue = queues.get(path);
      if (!queue) continue;
      const notYetLeaving = sum(queue.notYetLeaving ?? {}, allocation.resources);
      queues.set(path, { ...queue, notYetLeaving });
    }
  }
  if (kills.length === 0) return { kind: 'append', events };
  return { kind: 'order', events, kills, ...(manner !== 'alone' && { isUnit: true }) };
}

/** What a unit that nobody needs any more ends in; undefined if a victim of it is needed. The others then go for its sake. */
function unneededUnit(
  state: RunState,
  page: readonly PlannedVictim[],
  facts: readonly VictimFacts[],
): DomainEvent[] | undefined {
  const events: DomainEvent[] = [];
  for (const [i, victim] of page.entries()) {
    const found = facts[i];
    if (!found || 'unreachable' in found) return undefined;
    const live = found.allocation;
    const there = presence(victim, live);
    if (there !== 'running' || !live) {
      events.push(victimGone(state, victim.rank, there === 'running' ? 'gone' : there));
      continue;
    }
    const why = notNeeded(state, live.resources, found.queues);
    if (!why) return undefined;
    events.push(victimSpared(state, victim.rank, why));
  }
  return events;
}

/** All victims of a unit that still run are spared, because one of them is. */
function sparedUnit(
  state: RunState,
  page: readonly PlannedVictim[],
  facts: readonly VictimFacts[],
  spared: DomainEvent<'VictimSpared'>,
): DomainEvent[] {
  const { rank, message } = spared.data;
  const first = page.find((victim) => victim.rank === rank)!;
  return page.map((victim, i) => {
    if (victim === first) return spared;
    const found = facts[i];
    const there = presence(victim, found && 'queues' in found ? found.allocation : undefined);
    if (there !== 'running') return victimGone(state, victim.rank, there);
    return victimSpared(state, victim.rank, ownChecks(state)!.units!.whyRestStays(victim, first, message));
  });
}

/** Decides about a victim without an order: gone, spared, ordered now, or to be asked to finish. */
function checkedOne(
  state: RunState,
  victim: PlannedVictim,
  now: string,
  control: RunControl,
  facts: ReachableFacts,
  manner: Manner,
): DomainEvent<'VictimGone' | 'VictimSpared' | 'VictimOrdered'> | 'notify' {
  const { rank } = victim;
  const { allocation } = facts;
  const found = presence(victim, allocation);
  if (found !== 'running' || !allocation)
    return victimGone(state, rank, found === 'running' ? 'gone' : found);
  const spare = whySpared(state, victim, allocation, now, control, facts, manner);
  if (spare) return victimSpared(state, rank, spare);
  if (isTooLateToAsk(state, victim, now)) return victimSpared(state, rank, tooLateToAsk(victim));
  if ((victim.gracePeriodMs ?? 0) > 0 && !state.killAt.has(rank)) return 'notify';
  const attempt = (state.refusals.get(rank)?.attempts ?? 0) + 1;
  const evictionId = `${state.planned?.enforcement}-${rank}-${attempt}`;
  const { resources } = allocation;
  const order = { rank, attempt, evictionId, resources, secondsLost: secondsLost(allocation, now) };
  return victimOrdered(state, order, now);
}

/**
 * Resolves an order without an outcome: whether the kill was sent, only the cluster knows. A kill that the cluster
 * carried out is recorded as evicted; a victim that left otherwise is recorded as gone. A victim that still runs is
 * killed under the same eviction id, unless the run may no longer kill or the victim would not be ordered today: then
 * it is spared once its request can no longer be carried out.
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
  if (facts?.rank !== order.rank) return check(state, [victim], order.evictionId);
  const reason = abortReason(state, now, control);
  if ('unreachable' in facts) {
    if (toMs(now) < toMs(state.opened?.deadlineAt ?? now)) return waitForCluster(state, now, control);
    const message = `The eviction may have been requested; the cluster is unreachable: ${facts.unreachable}`;
    return {
      kind: 'append',
      events: [victimFailed(state, order.rank, { code: 'outcome-unknown', message })],
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
  if (spare) return { kind: 'append', events: [victimSpared(state, order.rank, spare)] };
  // Extended after its order, before its request: the request has not been made.
  const extension = facts.carriedOut === false ? lastExtension(state, victim) : undefined;
  if (extension && extension.ms > toMs(now)) {
    const { of, until } = extension;
    const owner =
      of === victim ? 'Its owner' : `The owner of ${of.allocation}, which is evicted together with it,`;
    const refusal = { code: extended, message: `${owner} extended its time until ${until}.` };
    return { kind: 'append', events: [victimRefused(state, order.rank, refusal, until)] };
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
  if (carriedOut) return victimEvicted(state, order, true);
  if (found === 'other-incarnation') return victimGone(state, order.rank, found);
  if (carriedOut === undefined) return victimGone(state, order.rank, 'gone-after-request');
  return victimGone(state, order.rank, found === 'leaving' ? 'leaving' : 'gone');
}

function check(state: RunState, victims: readonly PlannedVictim[], evictionId?: string): Step {
  const [first] = victims;
  assert(first, 'there is no victim to check');
  const enforced = state.planned?.queue ?? first.queue;
  const beside = ownChecks(state)?.checkedBeside(state, first) ?? [];
  const queues = new Set([...victims, ...beside].flatMap(({ queue }) => chain(queue)));
  return {
    kind: 'check',
    victims: [...victims],
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
