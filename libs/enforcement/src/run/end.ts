import {
  type Blocker,
  type DomainEvent,
  type EnforcementOutcome,
  type Notice,
  ofEnforcement,
  type Resources,
} from '#contracts';
import { inWords, isNothing, positiveDifference, sum } from '../amounts.js';
import { runPolicies } from '../policies.js';
import type { Abort } from './abort-reason.js';
import { blockersOf, whyPlanIsShort } from './blockers.js';
import type { QueueFacts } from './facts.js';
import { assert, hasOutcome, type OpenOrder, type PlannedRun, type RunState } from './run-state.js';
import { evolveRun, isRound } from './state.js';
import { missing, noLongerNeeded, type Tally, withStayed } from './tally.js';
import { victimFailedEvent, victimSparedEvent } from './victim-events.js';
import { type WorkLost, workLost } from './work-lost.js';

/**
 * Ends a run that has nothing left to do. Its outcome follows from the resources that its victims freed, and from the
 * allocations that its plan had counted as leaving but that stayed.
 *
 * @param queue the usage of the queue, where it was requested (`queueToCheck`).
 */
export function endOfWork(state: RunState, queue?: QueueFacts): DomainEvent {
  const outcome = outcomeOf(state);
  if (!queue) return ended(state, outcome, '');
  const atMost = outcome === 'satisfied' ? 'best-effort' : outcome;
  if ('unreachable' in queue) {
    const because = ` Whether the allocations that other runs were to evict have left is not known: ${queue.unreachable}`;
    return ended(state, atMost, because);
  }
  if (isNothing(queue.above)) {
    // The queue is down to its quota, whatever the cause.
    const reached = { ...state, reachedTypes: Object.keys(state.planned?.plan.target ?? {}) };
    return ended(reached, outcomeOf(reached), '');
  }
  const stayed = leftOfOthers(state, queue.above);
  if (isNothing(stayed)) return ended(state, outcome, '');
  const because = ` In addition, ${inWords(stayed)} are above its quota: allocations that were to leave have stayed, or new ones have started.`;
  return ended(state, outcome === 'not-needed' ? 'failed' : atMost, because, stayed);
}

/**
 * Whether the outcome is certain only once the queue is checked: the plan took less because allocations were leaving
 * already, and those may have stayed; or another incarnation had replaced a victim, and may hold as much.
 */
export function queueToCheck(state: RunState): boolean {
  const { planned, replaced } = state;
  if (!planned || isRound(state) || planned.trigger.target !== undefined) return false;
  return replaced > 0 || !isNothing(planned.plan.inFlight);
}

/**
 * The amount above the quota, up to the amount that was expected to leave. The shortfall of the run's own victims is
 * reported separately.
 */
function leftOfOthers(state: RunState, above: Resources): Resources {
  const { target = {}, inFlight = {} } = state.planned?.plan ?? {};
  return lesserOf(inFlight, positiveDifference(above, missing(state, target)));
}

/** Of each type the lesser amount of the two. */
function lesserOf(a: Resources, b: Resources): Resources {
  return positiveDifference(a, positiveDifference(a, b));
}

/**
 * The approximate number of events in one append: a hundred thousand would make a long transaction, which all readers
 * of the log wait for.
 */
const outcomesAtOnce = 1000;

/**
 * Ends a run before its victims are through. Each remaining victim gets its outcome, the last of them in the same
 * append as the end: spared, or at the deadline failed if it had been tried. Returns only some of very many victims;
 * call again for the rest.
 */
export function abort(state: RunState, reason: Abort): DomainEvent[] {
  const victims = state.planned?.plan.victims ?? [];
  const rest: DomainEvent<'VictimFailed' | 'VictimSpared'>[] = [];
  for (let i = state.settledUpTo; i < victims.length; i++) {
    const { rank } = victims[i]!;
    if (hasOutcome(state, rank)) continue;
    if (rest.length === outcomesAtOnce) return rest;
    const isTried = reason.outcome === 'deadline' && state.refusals.has(rank);
    rest.push(isTried ? victimFailedEvent(state, rank, reason) : victimSparedEvent(state, rank, reason));
  }
  const counts = { ...state.counts };
  let { stayed } = state;
  for (const { name, data } of rest) {
    const outcome = name === 'VictimFailed' ? 'failed' : 'spared';
    counts[outcome] += 1;
    stayed = withStayed(stayed, { outcome, code: data.code, of: data });
  }
  const reachedTypes =
    reason.code === noLongerNeeded ? Object.keys(state.planned?.plan.target ?? {}) : state.reachedTypes;
  return [...rest, ended({ ...state, counts, stayed, reachedTypes }, reason.outcome, ` ${reason.message}`)];
}

/**
 * The same with an open order that was not carried out; other open orders are resolved first. The run records why it
 * ended, even if no other victim is left: a run that was stopped has not found that its target is impossible.
 */
export function abortWithOrder(state: RunState, { rank }: OpenOrder, reason: Abort): DomainEvent[] {
  const settled =
    reason.outcome === 'deadline'
      ? victimFailedEvent(state, rank, reason)
      : victimSparedEvent(state, rank, reason);
  if (state.openOrders.size > 1) return [settled];
  return [settled, ...abort(evolveRun(state, settled), reason)];
}

/**
 * The code of a plan that was not made because it exceeds the size limits in the settings. The next plan would exceed
 * them too.
 */
export const tooLarge = 'too-large';

/** Ends a run without a plan. Another run follows, unless its result would be the same. */
export function endWithoutPlan(state: RunState): DomainEvent {
  const failed = state.planFailed;
  assert(failed, 'the plan has not failed');
  const { partition, queue, enforcement, fencingToken, message, attempt, code } = failed;
  const tries = attempt === 1 ? '' : ` in ${attempt} runs`;
  return {
    name: 'EnforcementEnded',
    data: {
      partition,
      queue,
      enforcement,
      fencingToken,
      outcome: 'failed',
      evicted: 0,
      gone: 0,
      spared: 0,
      failed: 0,
      freed: {},
      shortfall: {},
      message: `${queue}: no plan could be made${tries}: ${message}`,
      ...(code === tooLarge
        ? {
            notices: [
              {
                code: tooLarge,
                message: `Enforcement ${enforcement} evicts nothing: ${message}.`,
                about: ofEnforcement(enforcement),
              },
            ],
          }
        : { retry: true, notices: [] }),
    },
  };
}

function outcomeOf(state: RunState): EnforcementOutcome {
  const plan = state.planned?.plan;
  assert(plan, 'there is no plan');
  if (plan.victims.length === 0) return plan.outcome;
  const { notified, waiting, evicted } = state.counts;
  // The remaining victims are for later rounds: this one did all that it could.
  if (notified + waiting > 0 && evicted === 0) return 'notified';
  return runPolicies.of(plan.policy).outcomeOf(plan, state);
}

function ended(
  state: RunState,
  outcome: EnforcementOutcome,
  because: string,
  stayed: Resources = {},
): DomainEvent {
  const { planned } = state;
  assert(planned, 'there is no plan');
  const { policy, target, victims } = planned.plan;
  return endedWith(
    { ...planned, policy, target, victims: victims.length, withoutVictims: withoutVictims(planned) },
    state,
    {
      outcome,
      because,
      stayed,
      lost: workLost(state),
      blocked: isRound(state) ? [] : blockersOf(outcome, planned.plan, state),
    },
  );
}

/** For the message of a run that had no victims. */
function withoutVictims({ plan }: PlannedRun): string {
  if (plan.outcome === 'not-needed') return 'nothing had to be evicted.';
  const skipped = plan.notices.find(({ code }) => code === 'enforcement-skipped');
  const why = skipped ?? whyPlanIsShort(plan)[0];
  return why === undefined ? 'nothing could be evicted.' : `nothing could be evicted. ${why.message}`;
}

/** The part of a plan that the end of a run records. */
export interface PlanInBrief {
  partition: string;
  queue: string;
  enforcement: string;
  fencingToken: number;
  policy: PlannedRun['plan']['policy'];
  target: Resources;
  /** How many. */
  victims: number;
  /** Why there are none; absent: not known. */
  withoutVictims?: string;
}

/** Ends a run whose victims have the outcomes in `tally`. */
export function endedWith(
  { partition, queue, enforcement, fencingToken, policy, target, victims, ...brief }: PlanInBrief,
  tally: Tally,
  end: {
    outcome: EnforcementOutcome;
    because: string;
    stayed?: Resources;
    notices?: Notice[];
    lost?: WorkLost;
    /** Why it fell short. */
    blocked?: Blocker[];
  },
): DomainEvent<'EnforcementEnded'> {
  const { outcome, because, stayed = {}, notices = [], lost = [], blocked = [] } = end;
  const { counts, freed } = tally;
  const { notified, waiting, ...settled } = counts;
  const shortfall = missing(tally, target);
  const open = sum(lesserOf(shortfall, tally.stopped), stayed);
  return {
    name: 'EnforcementEnded',
    data: {
      partition,
      queue,
      enforcement,
      fencingToken,
      outcome,
      ...(runPolicies.of(policy).isRound && { policy, notified, waiting }),
      ...settled,
      freed,
      shortfall: sum(shortfall, stayed),
      message:
        (victims === 0
          ? `${queue}: ${brief.withoutVictims ?? 'nothing was evicted.'}`
          : sentence(queue, victims, tally, shortfall)) + because,
      ...(isNothing(open) ? {} : { open }),
      ...(lost.length > 0 && { lost }),
      ...(blocked.length > 0 && { blocked }),
      // The plan had no victims because other allocations were leaving, but those have stayed.
      ...(outcome === 'failed' && victims === 0 && { retry: true as const }),
      notices,
    },
  };
}

/** States the outcomes that occurred, and omits those with a count of 0. */
function sentence(
  queue: string,
  victims: number,
  { counts: { evicted, gone, spared, failed, notified, waiting }, replaced, freed }: Tally,
  shortfall: Resources,
): string {
  const fates: [count: number, ofOne: string, ofMore: string][] = [
    [notified, 'was notified', 'were notified'],
    [waiting, 'waits', 'wait'],
    [evicted, 'was evicted', 'were evicted'],
    [gone - replaced, 'was gone', 'were gone'],
    [replaced, 'was replaced by another incarnation', 'were replaced by other incarnations'],
    [spared, 'was spared', 'were spared'],
    [failed, 'could not be evicted', 'could not be evicted'],
  ];
  const met = fates
    .filter(([count]) => count > 0)
    .map(([count, ofOne, ofMore]) => ({ count, was: count === 1 ? ofOne : ofMore }));
  const common = met.find(({ count }) => count === victims);
  const what = common
    ? `${victims === 1 ? 'its only victim' : `all ${victims} victims`} ${common.was}`
    : `of ${victims} victims ${met.map(({ count, was }) => `${count} ${was}`).join(', ')}`;
  const gave = isNothing(freed) ? '' : `; freed ${inWords(freed)}`;
  const short = isNothing(shortfall)
    ? ''
    : `${gave === '' ? ';' : ','} short of the target by ${inWords(shortfall)}`;
  return `${queue}: ${what}${gave}${short}.`;
}
