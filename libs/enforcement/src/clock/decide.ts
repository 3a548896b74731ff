import {
  amountsOfLimit,
  type DomainEvent,
  type EventData,
  pauseAfter,
  type QuotaValues,
  type Resources,
  type RunFailures,
} from '#contracts';
import { amountOf, excess, isNothing, sameLimit, sameValues, valuesAt } from '../amounts.js';
import { addMs, toMs } from '../instants.js';
import { mayPass } from '../run/blockers.js';
import type {
  CancelPending,
  ChangeQuota,
  CheckDueClock,
  ClockCommand,
  EndRun,
  ExceedQuota,
  NoteShare,
  Reconcile,
  RequestClock,
  Restart,
  ReviewFreeze,
  TurnSwitch,
  Unblock,
} from './commands.js';
import { putOff, turnsAfter, withTurns } from './flapping.js';
import { verdictOn } from './judge.js';
import { clockNotices, lateAfterMs, type Over } from './notices.js';
import {
  clockCancelled,
  clockReset,
  frozen,
  isHeld,
  noteValues,
  rescheduled,
  runStarted,
  setAgain,
  setDue,
  suspended,
} from './outcomes.js';
import { type ClockState, evolveClock, unconfigured } from './state.js';
import { rowOf } from './table.js';
import { cameToNothing, hasGivenUp, isBlocked, tryAgainLater, tryAgainNow } from './unblocked.js';

type Scheduled = EventData<'EnforcementScheduled'>;

/**
 * Decides one command for the clock of a queue. Returns the events to append, none if nothing changes.
 * docs/reference/policies/quota-decrease.md §3. The decision depends on the command and the state alone; `at` is the
 * only current time.
 */
export function decideClock(command: ClockCommand, state: ClockState): DomainEvent[] {
  switch (command.kind) {
    case 'change-quota':
      return changeQuota(command, state);
    case 'remove-queue':
      return removeQueue(state);
    case 'turn-switch':
      return turnSwitch(command, state);
    case 'restart':
      return restart(command, state);
    case 'exceed-quota':
      return exceedQuota(command, state);
    case 'check':
      return check(command, state);
    case 'end-run':
      return endRun(command, state);
    case 'reconcile':
      return reconcile(command, state);
    case 'unblock':
      return unblock(command, state);
    case 'note-share':
      return noteShare(command, state);
    case 'cancel-pending':
      return cancelPending(command, state);
    case 'review-freeze':
      return reviewFreeze(command, state);
    case 'request-run':
      return requestRun(command, state);
  }
}

/** The event with the new values has the turns of max, while they are counted. §3.11 */
function changeQuota(command: ChangeQuota, state: ClockState): DomainEvent[] {
  const turns = command.dynamic ? undefined : turnsAfter(command, state.turns);
  const counted = { ...state, ...(turns && { turns }) };
  if (!turns) delete counted.turns;
  const events = judgeChange(command, counted);
  return turns && turns !== state.turns ? events.map((event) => withTurns(event, turns)) : events;
}

function judgeChange(command: ChangeQuota, state: ClockState): DomainEvent[] {
  const { current, previous } = command;
  if (state.running) return skipChange(state, state.running.enforcement, current);
  if (command.dynamic) return leaveWithoutClock(state, current);
  const verdict = verdictOn(command.timerPolicy, { ...command, pendingDueAt: state.pending?.dueAt });
  switch (verdict.kind) {
    case 'none':
      return state.pending && !sameLimit(previous, current)
        ? setDue(command, state, state.pending.dueAt, previous, current, 'quota-lowered')
        : noteValues(state, current);
    case 'cancel':
      return state.pending ? [clockCancelled(state, verdict.cause, current)] : noteValues(state, current);
    case 'due':
      return setDue(command, state, verdict.dueAt, previous, current, verdict.cause);
  }
}

/** Row a: the values are in force for new requests at once, and kept for the judgement at the end of the run. */
function skipChange(state: ClockState, enforcement: string, current: QuotaValues): DomainEvent[] {
  if (sameValues(state.values, current)) return [];
  return [
    {
      name: 'EnforcementSkipped',
      data: {
        partition: state.partition,
        queue: state.queue,
        cause: 'running',
        enforcement,
        current,
        notices: [clockNotices.changeSkipped(state.queue, enforcement, current)],
      },
    },
  ];
}

/** A dynamic queue has no clock; a clock that started before it became dynamic is cancelled. §3.7 */
function leaveWithoutClock(state: ClockState, current: QuotaValues): DomainEvent[] {
  if (state.pending) return [clockCancelled(state, 'dynamic', current)];
  if (sameValues(state.values, current)) return [];
  const { partition, queue } = state;
  return [{ name: 'EnforcementSkipped', data: { partition, queue, cause: 'dynamic', current, notices: [] } }];
}

/** Its values count as none from now on, as before the first configuration. §3.7 */
function removeQueue(state: ClockState): DomainEvent[] {
  if (state.running) return skipChange(state, state.running.enforcement, unconfigured);
  if (state.pending) return [clockCancelled(state, 'queue-removed', unconfigured)];
  return noteValues(state, unconfigured);
}

/**
 * On: a full delay from now, so that nothing fires at once. Off: a pending clock is suspended. §3.6
 *
 * Changes of a queue may arrive before an earlier change of the switch: a clock that runs already, to a later time, was
 * set after the switch was turned.
 */
function turnSwitch(command: TurnSwitch, state: ClockState): DomainEvent[] {
  const { pending, values } = state;
  if (!pending) return [];
  if (!command.on) {
    const holds = { enabled: command.stop !== undefined, stop: command.stop };
    return pending.suspended ? [] : [suspended(state, pending, holds)];
  }
  const dueAt = addMs(command.at, values.delayMs);
  if (!pending.suspended && toMs(dueAt) <= toMs(pending.dueAt)) return [];
  return [setAgain(state, dueAt, values, command.stop ? 'resumed' : 'switched-on')];
}

/** Changes during the downtime are judged as one save at the start; then, if configured, every clock restarts. §3.6 */
function restart(command: Restart, state: ClockState): DomainEvent[] {
  const { found } = command;
  const events = found ? judgeFound(command, found, state) : [];
  if (command.onRestart === 'keep') return events;
  const now = events.reduce(evolveClock, state);
  const fresh = addMs(command.at, now.values.delayMs);
  if (!now.pending || now.pending.dueAt === putOff(now, fresh, now.values).dueAt) return events;
  return [...events, ...clockReset(command, now, fresh, now.values, 'restarted')];
}

/** The turns of max stay as counted unless max has changed meanwhile, which nobody counted. §3.11 */
function judgeFound(command: Restart, found: QuotaValues, state: ClockState): DomainEvent[] {
  const change = { ...command, kind: 'change-quota' as const, previous: state.values, current: found };
  return sameLimit(state.values, found) ? judgeChange(change, state) : changeQuota(change, state);
}

function exceedQuota(command: ExceedQuota, state: ClockState): DomainEvent[] {
  const { values, pending, running } = state;
  if (command.timerPolicy !== 'shift' || command.dynamic) return [];
  if (pending || running || values.delayMs === 0) return [];
  const over = overQuota({ ...command, inFlight: {} }, values);
  if (over === undefined || isNothing(over)) return [];
  const dueAt = addMs(command.at, values.delayMs);
  return runStarted(command, state, dueAt, values, values, command.how);
}

/**
 * §3.3. Records nothing for a queue that waits for its ancestor, which is checked again when that run ends; nor for one
 * whose share of the cluster cannot be resolved yet.
 */
function check(command: CheckDueClock, state: ClockState): DomainEvent[] {
  const { pending, running, values } = state;
  if (!pending || running) return [];
  if (command.generation !== undefined && command.generation !== pending.generation) return [];
  const lateMs = toMs(command.at) - toMs(pending.dueAt);
  if (lateMs < 0) return [];
  if (command.dynamic) return [clockCancelled(state, 'dynamic')];
  if (isHeld(command)) return pending.suspended ? [] : [suspended(state, pending, command)];
  if (command.frozen) return [frozen(state, command.frozen)];
  if (command.ancestorRuns) return [];
  const over = overQuota(command, values);
  if (over === undefined) return [];
  if (isNothing(over)) return [clockCancelled(state, 'not-needed')];
  return [
    {
      name: 'EnforcementStarted',
      data: {
        partition: state.partition,
        queue: state.queue,
        enforcement: pending.enforcement,
        generation: pending.generation,
        fencingToken: command.fencingToken,
        dueAt: pending.dueAt,
        startedAt: command.at,
        lateMs,
        values: valuesAt(values, command.clusterSize ?? {}),
        ...(command.configuration !== undefined && { configuration: command.configuration }),
        ...(pending.failures && { failures: pending.failures }),
        ...(pending.unblocked && { unblocked: pending.unblocked }),
        notices: lateMs > lateAfterMs ? [clockNotices.firedLate(state.queue, pending.dueAt, lateMs)] : [],
      },
    },
  ];
}

/**
 * The lock is released. All changes that the run kept from the clock count as one, from the values it fired with to
 * those in force, by the table of §3.1 whatever the timer policy; only rows e and f continue, and only above the quota.
 * §3.5
 *
 * A run that did not reach its end leaves the decrease as it was: one that lost its lease or was stopped, and one that
 * failed for a reason that may pass. Its queue gets another clock if it is above its quota. §3.4
 */
function endRun(command: EndRun, state: ClockState): DomainEvent[] {
  const { running, values } = state;
  if (running?.enforcement !== command.enforcement) return [];
  const over = overQuota(command, values);
  const next = afterRun(command, state, over);
  const { partition, queue } = state;
  const { outcome, shortfall } = command;
  const givenUp = next && 'givenUp' in next ? next.givenUp : undefined;
  const blocked = givenUp ? [cameToNothing(running.enforcement, givenUp)] : command.blocked;
  const leaseEnded = command.cause === 'lease-ended';
  return [
    {
      name: 'EnforcementReleased',
      data: {
        partition,
        queue,
        enforcement: running.enforcement,
        cause: command.cause,
        ...(outcome && { outcome }),
        ...(shortfall && { shortfall }),
        ...(blocked && { blocked: [...blocked] }),
        notices: [
          ...(leaseEnded ? [clockNotices.leaseEnded(queue, running.enforcement)] : []),
          ...(givenUp ? [clockNotices.givenUp(queue, givenUp, command.retryUnblocked ?? false)] : []),
        ],
      },
    },
    ...(next && 'dueAt' in next
      ? runStarted(command, state, next.dueAt, running.firedWith, values, next.cause, next)
      : []),
  ];
}

/**
 * Whether the end of a run depends on the usage of its queue: else no clock follows it.
 *
 * @param state absent: its quota was not changed during the run.
 */
export const usageMatters = (
  { outcome, retry, blocked }: Pick<Partial<EndRun>, 'outcome' | 'blocked'> & { retry?: unknown },
  state?: ClockState,
): boolean =>
  outcome === 'stopped' ||
  retry !== undefined ||
  blocked?.some(mayPass) === true ||
  state?.running?.changeSkipped === true;

type NextClock = { dueAt: string; cause: Scheduled['cause'] } & Pick<
  Scheduled,
  'notices' | 'failures' | 'unblocked'
>;

/** The clock that follows a run, or the failures after which no further run is tried; undefined: nothing follows. */
function afterRun(
  command: EndRun,
  state: ClockState,
  over: Over,
): NextClock | { givenUp: RunFailures } | undefined {
  const { queue, values, running } = state;
  // A decrease that is still to be enforced must not require another save. If it is not known whether the queue is
  // above its quota, the check of the next clock decides.
  if (!running || (over !== undefined && isNothing(over)) || values.delayMs === 0) return undefined;
  const { at } = command;
  if (command.cause === 'lease-ended') {
    // The delay has been served.
    const notices = [clockNotices.againAfterLease(queue, values, over)];
    return { dueAt: at, cause: 'lease-ended', notices };
  }
  const fresh = addMs(at, values.delayMs);
  const row = running.changeSkipped ? rowOf(running.firedWith, values) : undefined;
  if (command.afterRun === 'reschedule' && (row === 'e' || row === 'f'))
    return {
      dueAt: fresh,
      cause: 'after-run',
      notices: [clockNotices.rescheduled(queue, values, over, fresh)],
    };
  if (command.outcome === 'stopped') {
    const notices = [clockNotices.againAfterStop(queue, command.enforcement, over)];
    return { dueAt: fresh, cause: 'stopped', notices };
  }
  if (command.retry) return tryAgain(queue, at, running.failures, command.retry.forMs);
  // A max that was lowered during the run has a delay of its own to serve.
  return row === 'f' ? undefined : tryAgainLater(command, state);
}

const pauseMs = { first: 1000, longest: 300_000 };

/** Retries after a pause that doubles with each failed run, until the first of them is too long ago. */
function tryAgain(
  queue: string,
  at: string,
  before: RunFailures | undefined,
  forMs: number,
): NextClock | { givenUp: RunFailures } {
  const failures = { count: (before?.count ?? 0) + 1, since: before?.since ?? at };
  const dueAt = addMs(at, pauseAfter(failures.count, pauseMs));
  if (toMs(dueAt) > toMs(failures.since) + forMs) return { givenUp: failures };
  return { dueAt, cause: 'retry', failures, notices: [clockNotices.retried(queue, failures, dueAt)] };
}

/**
 * A queue without a clock and a run is within its quota, or someone has decided that it stays above it, or gets a notice. Where its last
 * run went as far as it could, no clock follows by itself: it would come to the same end. §3.8
 */
function reconcile(command: Reconcile, state: ClockState): DomainEvent[] {
  const { partition, queue, values, pending, running, lastRun, notMet } = state;
  if (pending || running) return [];
  const over = overQuota(command, values);
  if (over === undefined) return [];
  if (values.delayMs === 0 || isNothing(over)) {
    return notMet ? [{ name: 'QuotaMet', data: { partition, queue } }] : [];
  }
  if (notMet || command.observed || isHeld(command)) return [];
  const explained = explainedByLastRun(state, over);
  if (explained && !leavesToPeople.has(lastRun?.outcome ?? '')) return [];
  const dueAt = command.reconcile === 'enforce' && !explained ? addMs(command.at, values.delayMs) : undefined;
  const used = excess(command.usage, command.inFlight, allZero(command.usage));
  const found: DomainEvent = {
    name: 'QuotaNotMet',
    data: {
      partition,
      queue,
      current: valuesAt(values, command.clusterSize ?? {}),
      used,
      above: over,
      ...(lastRun && { lastOutcome: lastRun.outcome, lastEnforcement: lastRun.enforcement }),
      notices: [
        clockNotices.notMet(
          queue,
          valuesAt(values, command.clusterSize ?? {}),
          over,
          lastRun,
          dueAt,
          explained || (lastRun !== undefined && hasGivenUp(lastRun)),
        ),
      ],
    },
  };
  if (dueAt === undefined) return [found];
  return [found, ...runStarted(command, evolveClock(state, found), dueAt, values, values, 'reconciled')];
}

/** Outcomes after which an operator's decision holds for the same quota, whatever the usage. */
const decidedByOperators = new Set<string>(['cancelled', 'rejected']);
/**
 * Outcomes that explain the amount that the run itself left above the quota, and no more. `satisfied` leaves what
 * `miss` allows.
 */
const asFarAsPossible = new Set<string>(['satisfied', 'best-effort', 'impossible']);

/** Of those, the outcomes that nobody has asked for: a person may have to change what blocks the run. */
const leavesToPeople = new Set<string>(['best-effort', 'impossible']);

/** Whether the end of the last run explains why the queue is above its quota: the same quota, and no more than it left. */
export function explainedByLastRun({ lastRun, values }: ClockState, over: Resources): boolean {
  if (!lastRun || !sameLimit(lastRun.values, values)) return false;
  if (decidedByOperators.has(lastRun.outcome)) return true;
  if (!asFarAsPossible.has(lastRun.outcome)) return false;
  return Object.keys(over).every((type) => amountOf(over, type) <= amountOf(lastRun.shortfall, type));
}

/** The usage above the quota, whose share is resolved with the current size of the cluster; undefined: not known. */
function overQuota(
  { usage, inFlight, clusterSize = {} }: { usage: Resources; inFlight: Resources; clusterSize?: Resources },
  values: QuotaValues,
): Over {
  const max = amountsOfLimit(values, clusterSize);
  return max === undefined ? undefined : excess(usage, inFlight, max);
}

/**
 * Another run, without a second delay, of a queue whose last run could not evict enough, and now could. Nothing follows where an operator
 * has decided about the quota, where the queue uses more than that run has left, or where the same has been decided already. §3.12
 */
function unblock(command: Unblock, state: ClockState): DomainEvent[] {
  const { queue, values, pending, running, lastRun } = state;
  if (pending || running || command.observed || isHeld(command) || values.delayMs === 0) return [];
  if (!isBlocked(lastRun) || lastRun.enforcement !== command.after) return [];
  const over = overQuota(command, values);
  if (over === undefined || isNothing(over)) return [];
  const isSame = hasGivenUp(lastRun) ? sameLimit(lastRun.values, values) : explainedByLastRun(state, over);
  if (!isSame) return [];
  const { dueAt, cause, ...more } = tryAgainNow(command.at, lastRun, command.message, queue);
  return runStarted(command, state, dueAt, values, values, cause, more);
}

function noteShare({ maxShare }: NoteShare, state: ClockState): DomainEvent[] {
  return noteValues(state, { ...state.values, maxShare });
}

const allZero = (amounts: Resources): Resources =>
  Object.fromEntries(Object.keys(amounts).map((type) => [type, 0]));

function cancelPending(command: CancelPending, state: ClockState): DomainEvent[] {
  if (state.pending?.enforcement !== command.enforcement) return [];
  return [clockCancelled(state, 'operator', undefined, command.by)];
}

/**
 * A clock that waits for the end of a freeze is due at the end of those that remain, or now: its delay has been served.
 * A later end counts when the clock falls due. §3.10
 */
function reviewFreeze({ at, frozen: by }: ReviewFreeze, state: ClockState): DomainEvent[] {
  const { pending, values } = state;
  if (!pending?.frozen || pending.suspended) return [];
  if (!by) {
    const due = { dueAt: later(at, pending.frozen.dueAt), notices: [] };
    return [rescheduled(state, due, values, 'unfrozen')];
  }
  return toMs(by.until) < toMs(pending.dueAt) ? [frozen(state, by)] : [];
}

const later = (a: string, b: string): string => (toMs(a) > toMs(b) ? a : b);

/**
 * Starts a clock whatever the outcome of the last run, or brings the pending one forward. A queue within its quota, one
 * without a delay and one that runs stay as they are. §3.9
 */
function requestRun(command: RequestClock, state: ClockState): DomainEvent[] {
  const { values, pending, running } = state;
  const over = overQuota(command, values);
  if (running || values.delayMs === 0 || (over !== undefined && isNothing(over))) return [];
  const dueAt = command.atOnce ? command.at : addMs(command.at, values.delayMs);
  if (!pending) return runStarted(command, state, dueAt, values, values, 'requested');
  return toMs(dueAt) < toMs(pending.dueAt) ? clockReset(command, state, dueAt, values, 'requested') : [];
}
