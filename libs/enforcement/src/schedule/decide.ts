import type { DomainEvent, QuotaValues } from '@curtail/contracts';
import { excess, isNothing } from '../amounts.js';
import { addMs, toMs } from '../instants.js';
import type {
  CancelPending,
  ChangeQuota,
  EndRun,
  ExceedQuota,
  Look,
  Restart,
  ScheduleCommand,
  TurnSwitch,
} from './commands.js';
import { judge } from './judge.js';
import { clockNotices, lateAfterMs } from './notices.js';
import {
  cancelled,
  noteValues,
  rescheduled,
  reset,
  sameValues,
  setDue,
  start,
  suspended,
} from './outcomes.js';
import { evolveSchedule, type ScheduleState, unconfigured } from './state.js';
import { rowOf } from './table.js';

/**
 * What follows for the clock of a queue from one command: the events to append, none if nothing follows.
 * docs/policies/quota-decrease.md §3. Decides by the command and the state alone; `at` is the only now.
 */
export function decideSchedule(command: ScheduleCommand, state: ScheduleState): DomainEvent[] {
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
    case 'look':
      return look(command, state);
    case 'end-run':
      return endRun(command, state);
    case 'cancel-pending':
      return cancelPending(command, state);
  }
}

function changeQuota(command: ChangeQuota, state: ScheduleState): DomainEvent[] {
  const { current, previous } = command;
  if (state.running) return skipChange(state, state.running.enforcement, current);
  if (command.dynamic) return leaveWithoutClock(state, current);
  const verdict = judge(command.timerPolicy, { ...command, pendingDueAt: state.pending?.dueAt });
  switch (verdict.kind) {
    case 'none':
      return noteValues(state, current);
    case 'cancel':
      return state.pending ? [cancelled(state, verdict.cause, current)] : noteValues(state, current);
    case 'due':
      return setDue(command, state, verdict.dueAt, previous, current, verdict.cause);
  }
}

/** Row a: the values are in force for new requests at once, and kept for the judgement at the end of the run. */
function skipChange(state: ScheduleState, enforcement: string, current: QuotaValues): DomainEvent[] {
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

/** A dynamic queue has no clock; one that was set before it became dynamic is called off. §3.7 */
function leaveWithoutClock(state: ScheduleState, current: QuotaValues): DomainEvent[] {
  if (state.pending) return [cancelled(state, 'dynamic', current)];
  if (sameValues(state.values, current)) return [];
  const { partition, queue } = state;
  return [{ name: 'EnforcementSkipped', data: { partition, queue, cause: 'dynamic', current, notices: [] } }];
}

/** Its values count as none from now on, as before the first configuration. §3.7 */
function removeQueue(state: ScheduleState): DomainEvent[] {
  if (state.running) return skipChange(state, state.running.enforcement, unconfigured);
  if (state.pending) return [cancelled(state, 'queue-removed', unconfigured)];
  return noteValues(state, unconfigured);
}

/**
 * On: a full delay from now, so that nothing fires at once. Off: what is pending stands still. §3.6
 *
 * Changes of a queue may be heard before the switch that was turned before them: a clock that runs already, to a later time,
 * was set since.
 */
function turnSwitch(command: TurnSwitch, state: ScheduleState): DomainEvent[] {
  const { pending, values } = state;
  if (!pending) return [];
  if (!command.on) return pending.suspended ? [] : [suspended(state, pending)];
  const dueAt = addMs(command.at, values.delayMs);
  if (!pending.suspended && toMs(dueAt) <= toMs(pending.dueAt)) return [];
  return [rescheduled(state, dueAt, values, 'switched-on')];
}

/** What changed meanwhile is judged as a save at the start; then, if so set, every clock begins again. §3.6 */
function restart(command: Restart, state: ScheduleState): DomainEvent[] {
  const { found } = command;
  const events = found
    ? changeQuota({ ...command, kind: 'change-quota', previous: state.values, current: found }, state)
    : [];
  if (command.onRestart === 'keep') return events;
  const now = events.reduce(evolveSchedule, state);
  const fresh = addMs(command.at, now.values.delayMs);
  if (!now.pending || now.pending.dueAt === fresh) return events;
  return [...events, ...reset(command, now, fresh, now.values, 'restarted')];
}

function exceedQuota(command: ExceedQuota, state: ScheduleState): DomainEvent[] {
  const { values, pending, running } = state;
  if (command.timerPolicy !== 'shift' || command.dynamic) return [];
  if (pending || running || values.delayMs === 0) return [];
  if (isNothing(excess(command.usage, {}, values.max))) return [];
  const dueAt = addMs(command.at, values.delayMs);
  return start(command, state, dueAt, values, values, command.how);
}

/** §3.3. Nothing is recorded for a queue that waits for its ancestor: it is looked at again when that run ends. */
function look(command: Look, state: ScheduleState): DomainEvent[] {
  const { pending, running, values } = state;
  if (!pending || running) return [];
  if (command.generation !== undefined && command.generation !== pending.generation) return [];
  const lateMs = toMs(command.at) - toMs(pending.dueAt);
  if (lateMs < 0) return [];
  if (command.dynamic) return [cancelled(state, 'dynamic')];
  if (!command.enabled) return pending.suspended ? [] : [suspended(state, pending)];
  if (command.ancestorRuns) return [];
  if (isNothing(excess(command.usage, command.inFlight, values.max))) return [cancelled(state, 'not-needed')];
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
        values,
        notices: lateMs > lateAfterMs ? [clockNotices.firedLate(state.queue, pending.dueAt, lateMs)] : [],
      },
    },
  ];
}

/**
 * The lock is given back. All changes that the run kept from the clock count as one, from what it fired with to what is
 * in force, by the table of §3.1 whatever the timer policy; only rows e and f lead on, and only above the quota. §3.5
 */
function endRun(command: EndRun, state: ScheduleState): DomainEvent[] {
  const { running, values } = state;
  if (running?.enforcement !== command.enforcement) return [];
  const { partition, queue } = state;
  const released: DomainEvent = {
    name: 'EnforcementReleased',
    data: {
      partition,
      queue,
      enforcement: running.enforcement,
      cause: command.cause,
      notices: command.cause === 'lease-ended' ? [clockNotices.leaseEnded(queue, running.enforcement)] : [],
    },
  };
  const over = excess(command.usage, command.inFlight, values.max);
  if (command.cause === 'lease-ended') {
    // What was lowered is still to be enforced, and the delay has been served: nobody is to save it once more for that.
    if (isNothing(over) || values.delayMs === 0) return [released];
    const again = clockNotices.againAfterLease(queue, values, over);
    return [
      released,
      ...start(command, state, command.at, running.firedWith, values, 'lease-ended', [again]),
    ];
  }
  if (command.afterRun === 'ignore' || !running.changeSkipped) return [released];
  const row = rowOf(running.firedWith, values);
  if ((row !== 'e' && row !== 'f') || isNothing(over)) return [released];
  const dueAt = addMs(command.at, values.delayMs);
  const notice = clockNotices.rescheduled(queue, values, over, dueAt);
  return [released, ...start(command, state, dueAt, running.firedWith, values, 'after-run', [notice])];
}

function cancelPending(command: CancelPending, state: ScheduleState): DomainEvent[] {
  if (state.pending?.enforcement !== command.enforcement) return [];
  return [cancelled(state, 'operator', undefined, command.by)];
}
