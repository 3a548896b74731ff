import { type DomainEvent, type EventData, possiblyEvictedCodes } from '#contracts';
import { toMs } from '../instants.js';
import { runPolicies } from '../policies.js';
import type { OwnChecks } from '../run-policy.js';
import { ByRank } from './by-rank.js';
import { extendedUntil, isReady, withAnswer } from './owner-answers.js';
import { assert, hasOutcome, type OpenOrder, type PlannedVictim, type RunState } from './run-state.js';
import { emptyTally, type Settled, tallied } from './tally.js';

/*
 * One run of a plan: the executor's state, folded from the streams `plan-<enforcement>` and `execution-<enforcement>`.
 *
 *   planned ──▶ open ──▶ [waits for approval] ──▶ works through the victims ──▶ ended
 *
 * A victim goes its own way, and ends in exactly one outcome:
 *
 *   untouched ──▶ ordered ──▶ evicted                                    VictimOrdered, VictimEvicted
 *       │            ├──────▶ gone                                       VictimGone
 *       │            └──────▶ refused ──▶ (later) ordered again          VictimRefused with retryAt
 *       │                        └──────▶ failed                         VictimFailed
 *       ├──▶ gone / spared / failed without an order                     VictimGone, VictimSpared
 *       ├──▶ extended ──▶ (its time over) ordered                        OwnerAnswered
 *       ├──▶ asked to finish ──▶ (its time over) ordered             VictimNotified, of fair-share
 *       └──▶ in a round: notified, or waiting from its opening on        VictimNotified, EnforcementOpened
 *
 * Orders are given by the page: those of one page are open at the same time. Only the executor that holds the fencing token
 * moves this, and orders are appended, at the expected version, before their kills are sent: of two executors only one gets
 * to send.
 *
 * State after a crash
 * - before `EnforcementOpened`: a plan; it is opened at the next start.
 * - between two victims, or during a wait: no unfinished step; the next step is decided again. Retry times, the rate and the
 *   deadline are in the events, so a restart neither forgets nor repeats a wait.
 * - after `VictimOrdered`, before its outcome: open orders, which are resolved one by one. Whether a kill was sent is not
 *   known, so the cluster is asked whether it carried the kill out: evicted (`recovered`), or gone. A victim that still runs is
 *   checked as before any kill, and the same eviction id is sent again, which a driver treats as the same kill.
 * - after the last outcome, before `EnforcementEnded`: the end is decided from the outcomes and, where the plan had
 *   counted on allocations that were leaving already, from the usage of the queue at that time.
 */

/**
 * The refusal code of a disruption budget without room. Nothing is wrong with the victim: room returns when other pods
 * are ready. The eviction is requested again until the deadline, and does not count as an attempt.
 */
export const budgetExhausted = 'disruption-budget';

/**
 * The refusal code of an order whose owner was granted more time before it was requested. It is ordered again at the end
 * of the extension, and does not count as an attempt.
 */
export const extended = 'extended';

/** The refusal code of an order that the platform has not answered, and must not carry out any more. */
export const unanswered = 'no-answer';

export const initialRunState: RunState = {
  ...emptyTally,
  fired: { max: null },
  rejudged: false,
  approved: false,
  ceilingsLifted: false,
  begun: false,
  openOrders: ByRank.none(),
  going: ByRank.none(),
  possiblyEvicted: ByRank.none(),
  refusals: ByRank.none(),
  killAt: ByRank.none(),
  answers: ByRank.none(),
  waits: ByRank.none(),
  outcomes: ByRank.none(),
  secondsLost: ByRank.none(),
  settledUpTo: 0,
  metUpTo: 0,
  recentOrdersMs: [],
};

/**
 * One event of the run applied; events of other kinds change nothing. Throws where an event contradicts what is recorded
 * (a second outcome of a victim, an order after the end …): fold new events before they are appended, so that such a
 * fault is never written. Of the two streams either may be folded first, except that the plan comes before victims.
 */
export function evolveRun(state: RunState, event: DomainEvent): RunState {
  switch (event.name) {
    case 'PlanComputed':
      return { ...state, planned: event.data };
    case 'PlanFailed':
      return { ...state, planFailed: event.data };
    case 'EnforcementOpened':
      assert(!state.opened, 'the run is open already');
      return withExtensions(
        withWaiting({ ...state, opened: event.data, fired: event.data }, event.data.wait ?? []),
      );
    case 'EnforcementRejudged':
      return judgeAgain(state, event.data);
    case 'PlanApproved':
      return {
        ...state,
        approved: true,
        ceilingsLifted: state.ceilingsLifted || event.data.ceilings === true,
      };
    case 'EnforcementHeld':
      assert(state.opened, 'the run is held before it is open');
      return { ...state, held: event.data };
    case 'PlanRejected':
      return { ...state, rejected: event.data };
    case 'CancelRequested':
      return { ...state, cancelled: event.data };
    case 'OwnerAnswered': {
      const answered = withAnswer(state, event.data);
      return answered ? waiting(answered.state, answered.rank) : state;
    }
    case 'VictimOrdered':
      return order(state, event.data);
    case 'VictimRefused':
      return refuse(state, event.data);
    case 'VictimEvicted': {
      assert(
        state.openOrders.get(event.data.rank)?.evictionId === event.data.evictionId,
        `${event.data.allocation} has no such order`,
      );
      const { rank, resources, secondsLost } = event.data;
      const settled = settle(state, event.data, { outcome: 'evicted', resources });
      return secondsLost === undefined
        ? settled
        : { ...settled, secondsLost: state.secondsLost.with(rank, secondsLost) };
    }
    case 'VictimGone':
      return settle(state, event.data, { outcome: 'gone', code: event.data.code, of: event.data });
    case 'VictimSpared':
      return settle(state, event.data, { outcome: 'spared', code: event.data.code, of: event.data });
    case 'VictimFailed':
      return settle(state, event.data, { outcome: 'failed', code: event.data.code, of: event.data });
    case 'VictimNotified':
      return notifiesInOneRound(state)
        ? settle(state, event.data, { outcome: 'notified' })
        : ask(state, event.data);
    case 'EnforcementEnded':
      return end(state, event.data);
    default:
      return state;
  }
}

/** Whether the run is a round; false as long as nothing is planned. */
export function isRound({ planned }: RunState): boolean {
  return planned !== undefined && runPolicies.of(planned.plan.policy).isRound;
}

/** Whether the run is a round that notifies owners, and leaves the kill to a later round. */
export function notifiesInOneRound({ planned }: RunState): boolean {
  return planned !== undefined && runPolicies.of(planned.plan.policy).notifiesInOneRound;
}

/** Whether a kill grants its victim a grace period. One whose owner is ready needs none. */
export function killsWithGrace(state: RunState, rank: number): boolean {
  const { planned } = state;
  if (isReady(state, rank)) return false;
  return planned === undefined || runPolicies.of(planned.plan.policy).killsWithGrace;
}

/** The checks before an eviction that only the policy of the run has. */
export function ownChecks({ planned }: RunState): OwnChecks | undefined {
  return planned && runPolicies.of(planned.plan.policy).ownChecks;
}

/** Events applied in order. The shell does this before it appends them: what breaks a rule of the run throws here. */
export function foldRun(state: RunState, events: readonly DomainEvent[]): RunState {
  return events.reduce(evolveRun, state);
}

function judgeAgain(state: RunState, { max, inForce }: EventData<'EnforcementRejudged'>): RunState {
  assert(state.opened, 'the run is judged again before it is open');
  assert(!state.begun || followsCluster(state), 'the run is judged again after its first order');
  const opened = { ...state.opened, max };
  return { ...state, rejudged: true, opened, ...(inForce && !state.begun && { judgedBy: inForce }) };
}

/** Whether the limit that the run is judged by follows the size of the cluster, even after its first order. */
export function followsCluster({ fired, judgedBy }: RunState): boolean {
  return fired.maxShare !== undefined || judgedBy?.maxShare !== undefined;
}

type OfVictim = { rank: number; allocation: string };

function order(state: RunState, data: EventData<'VictimOrdered'>): RunState {
  const { rank, attempt, evictionId, resources, secondsLost } = data;
  assert(!state.openOrders.has(rank), `${data.allocation} is ordered while its last order is open`);
  unsettled(state, data);
  const order = { rank, attempt, evictionId, resources, ...(secondsLost !== undefined && { secondsLost }) };
  return withOrderAt({ ...withOpenOrder(state, order), begun: true }, data.orderedAt);
}

/** The state with one more open order. */
export function withOpenOrder(state: RunState, order: OpenOrder): RunState {
  return { ...counting(state, order.rank, 1), openOrders: state.openOrders.with(order.rank, order) };
}

/** Counts a victim in its groups once more, or once less. */
function counting(state: RunState, rank: number, change: 1 | -1): RunState {
  const { planned } = state;
  const victim = planned?.plan.victims[rank - 1];
  const groups = (victim && ownChecks(state)?.countedIn?.(planned, victim)) ?? [];
  if (groups.length === 0) return state;
  let { going } = state;
  for (const group of groups) going = going.with(group, (going.get(group) ?? 0) + change);
  return { ...state, going };
}

function ask(state: RunState, data: EventData<'VictimNotified'>): RunState {
  unsettled(state, data);
  assert(!state.killAt.has(data.rank), `${data.allocation} is asked to finish twice`);
  const asked = { ...state, killAt: state.killAt.with(data.rank, data.killAt) };
  return withOrderAt(waiting(asked, data.rank), data.notifiedAt);
}

/** A request to finish counts as an order for the rate: both end the work of an owner. */
function withOrderAt(state: RunState, at: string): RunState {
  const ms = toMs(at);
  const recent = state.recentOrdersMs.filter((other) => other > ms - 1000 && other <= ms);
  return { ...state, recentOrdersMs: [...recent, ms] };
}

function refuse(state: RunState, data: EventData<'VictimRefused'>): RunState {
  unsettled(state, data);
  const order = state.openOrders.get(data.rank);
  assert(order, `${data.allocation} is refused without an order`);
  // The extension itself holds it back, until its owner is ready.
  const retryAt = data.code === extended ? undefined : data.retryAt;
  const refusal = {
    attempts: order.attempt,
    counted: countedAttempts(state, data.rank, data.code),
    ...(retryAt !== undefined && { retryAt }),
    ...((data.code === unanswered || state.refusals.get(data.rank)?.isUnanswered) && {
      isUnanswered: true as const,
    }),
  };
  const refused = {
    ...counting(state, data.rank, -1),
    openOrders: state.openOrders.without(data.rank),
    refusals: state.refusals.with(data.rank, refusal),
  };
  return waiting(refused, data.rank);
}

/** The orders of a victim that count towards the most, one that is refused with `code` now among them. */
export function countedAttempts(state: RunState, rank: number, code: string): number {
  return (state.refusals.get(rank)?.counted ?? 0) + (code === budgetExhausted || code === extended ? 0 : 1);
}

/** A victim is not touched before the latest of these. One whose owner is ready waits for its retry alone. */
function waiting(state: RunState, rank: number): RunState {
  if (hasOutcome(state, rank)) return state;
  const until = [
    state.refusals.get(rank)?.retryAt,
    isReady(state, rank) ? undefined : state.killAt.get(rank),
    extendedUntil(state, rank),
  ];
  const ms = Math.max(0, ...until.map((at) => (at === undefined ? 0 : toMs(at))));
  return met({ ...state, waits: state.waits.with(rank, ms) });
}

/** Extensions that were granted before the run was open count from its opening. */
function withExtensions(state: RunState): RunState {
  let extendedState = state;
  for (const rank of state.answers.ranks()) extendedState = waiting(extendedState, rank);
  return extendedState;
}

/** @param settled defaults to the resources of the plan. */
function settle(
  state: RunState,
  data: OfVictim,
  settled: Partial<Settled> & Pick<Settled, 'outcome'>,
): RunState {
  unsettled(state, data);
  const { resources } = victimOf(state, data);
  const isCounted = state.openOrders.has(data.rank);
  const mayBeEvicted = possiblyEvictedCodes.includes(settled.code ?? '');
  const counts = settled.outcome === 'evicted' || mayBeEvicted;
  const counted = isCounted === counts ? state : counting(state, data.rank, counts ? 1 : -1);
  return met({
    ...counted,
    ...tallied(counted, state.planned?.plan.target ?? {}, { resources, ...settled }),
    openOrders: state.openOrders.without(data.rank),
    outcomes: state.outcomes.with(data.rank, settled.outcome),
    ...(mayBeEvicted && { possiblyEvicted: state.possiblyEvicted.with(data.rank, true) }),
    refusals: state.refusals.without(data.rank),
    waits: state.waits.without(data.rank),
  });
}

/** Settles all waiting victims at once: a round can have many of them, and records no event for each. */
function withWaiting(state: RunState, ranks: readonly number[]): RunState {
  if (ranks.length === 0) return state;
  let { outcomes } = state;
  for (const rank of ranks) {
    assert(
      state.planned?.plan.victims[rank - 1] && !outcomes.has(rank),
      `the victim of rank ${rank} cannot wait`,
    );
    outcomes = outcomes.with(rank, 'waiting');
  }
  return met({ ...state, outcomes, counts: { ...state.counts, waiting: ranks.length } });
}

/** Advances the marks of the lowest ranks, so that those are never visited again. */
function met(state: RunState): RunState {
  const { outcomes, waits } = state;
  let { settledUpTo, metUpTo } = state;
  while (outcomes.has(settledUpTo + 1)) settledUpTo += 1;
  metUpTo = Math.max(metUpTo, settledUpTo);
  while (outcomes.has(metUpTo + 1) || waits.has(metUpTo + 1)) metUpTo += 1;
  return { ...state, settledUpTo, metUpTo };
}

function end(state: RunState, data: EventData<'EnforcementEnded'>): RunState {
  assert(!state.ended, 'the run has ended already');
  assert(state.openOrders.size === 0, 'the run ends with an open order');
  const { evicted, gone, spared, failed, notified = 0, waiting = 0 } = data;
  const victims = state.planned?.plan.victims.length ?? 0;
  const settled = evicted + gone + spared + failed + notified + waiting;
  assert(settled === victims, `the outcomes do not add up to ${victims} victims`);
  return { ...state, ended: data };
}

function unsettled(state: RunState, data: OfVictim): void {
  assert(!state.ended, `${data.allocation} is touched after the end of the run`);
  victimOf(state, data);
  assert(!hasOutcome(state, data.rank), `${data.allocation} has an outcome already`);
}

function victimOf(state: RunState, { rank, allocation }: OfVictim): PlannedVictim {
  const victim = state.planned?.plan.victims[rank - 1];
  assert(victim?.allocation === allocation, `${allocation} is not the victim of rank ${rank}`);
  return victim;
}
