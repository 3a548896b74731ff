import { BrokenInvariant, type DomainEvent, type QuotaValues } from '#contracts';
import { sameValues } from '../amounts.js';
import type { Frozen, Stop } from '../run/control.js';
import { type PutOff, putOff } from './flapping.js';
import { clockNotices } from './notices.js';
import { type ClockState, evolveClock } from './state.js';

/* The events that a decision about a clock ends in, each in one place. */

type Cancelled = Extract<DomainEvent, { name: 'EnforcementCancelled' }>['data'];
type Scheduled = Extract<DomainEvent, { name: 'EnforcementScheduled' }>['data'];
type Rescheduled = Extract<DomainEvent, { name: 'EnforcementRescheduled' }>['data'];

/** The switches that may hold a clock: the partition's, or a kill switch. */
export interface HeldClock {
  enabled: boolean;
  stop?: Stop | undefined;
}

export const isHeld = ({ enabled, stop }: HeldClock): boolean => !enabled || stop !== undefined;

/** Sets the clock, if that makes a difference; the values are kept in any case. */
export function setDue(
  command: HeldClock & { newEnforcement: string },
  state: ClockState,
  dueAt: string,
  previous: QuotaValues,
  current: QuotaValues,
  cause: 'quota-lowered' | 'delay-changed',
): DomainEvent[] {
  if (!state.pending) return runStarted(command, state, dueAt, previous, current, cause);
  if (state.pending.dueAt === putOff(state, dueAt, current).dueAt) return noteValues(state, current);
  return clockReset(command, state, dueAt, current, cause);
}

export function runStarted(
  command: HeldClock & { newEnforcement: string },
  state: ClockState,
  dueAt: string,
  previous: QuotaValues,
  current: QuotaValues,
  cause: Scheduled['cause'],
  { notices = [], failures, unblocked }: Partial<Pick<Scheduled, 'notices' | 'failures' | 'unblocked'>> = {},
): DomainEvent[] {
  const { notices: more, ...due } = dueWhen(state, dueAt, current, cause);
  const scheduled: DomainEvent = {
    name: 'EnforcementScheduled',
    data: {
      partition: state.partition,
      queue: state.queue,
      enforcement: command.newEnforcement,
      generation: state.generation + 1,
      ...due,
      previous,
      current,
      cause,
      ...(failures && { failures }),
      ...(unblocked && { unblocked }),
      notices: [...notices, ...more],
    },
  };
  return suspendedIfHeld(command, state, scheduled);
}

export function clockReset(
  command: HeldClock,
  state: ClockState,
  dueAt: string,
  current: QuotaValues,
  cause: Rescheduled['cause'],
): DomainEvent[] {
  return suspendedIfHeld(command, state, setAgain(state, dueAt, current, cause));
}

/** A clock that runs anew, later while max is flapping. */
export function setAgain(
  state: ClockState,
  dueAt: string,
  current: QuotaValues,
  cause: Rescheduled['cause'],
): DomainEvent {
  return rescheduled(state, dueWhen(state, dueAt, current, cause), current, cause);
}

/** A run that an operator requests does not wait for its max. */
const dueWhen = (state: ClockState, dueAt: string, current: QuotaValues, cause: string): PutOff =>
  cause === 'requested' ? { dueAt, notices: [] } : putOff(state, dueAt, current);

/** Adds the suspension of a clock that was set while a switch holds it. */
function suspendedIfHeld(holds: HeldClock, state: ClockState, set: DomainEvent): DomainEvent[] {
  if (!isHeld(holds)) return [set];
  const { pending } = evolveClock(state, set);
  return pending ? [set, suspended(state, pending, holds)] : [set];
}

export function rescheduled(
  state: ClockState,
  { notices, ...due }: PutOff,
  current: QuotaValues,
  cause: Rescheduled['cause'],
): DomainEvent {
  const { partition, queue, pending } = state;
  if (!pending) throw new BrokenInvariant(`${queue}: no run is pending that could be rescheduled`);
  const { enforcement, dueAt: previousDueAt } = pending;
  const generation = state.generation + 1;
  return {
    name: 'EnforcementRescheduled',
    data: { partition, queue, enforcement, generation, ...due, previousDueAt, current, cause, notices },
  };
}

/** The clock waits for the end of a freeze. */
export function frozen(state: ClockState, by: Frozen): DomainEvent {
  const { queue, pending, values } = state;
  if (!pending) throw new BrokenInvariant(`${queue}: no run is pending that could be frozen`);
  const notices = [clockNotices.frozen(queue, pending.dueAt, by)];
  return rescheduled(state, { dueAt: by.until, notices }, values, 'frozen');
}

export function clockCancelled(
  state: ClockState,
  cause: Cancelled['cause'],
  current?: QuotaValues,
  by?: string,
): DomainEvent {
  const { partition, queue, pending } = state;
  if (!pending) throw new BrokenInvariant(`${queue}: no run is pending that could be cancelled`);
  const { enforcement, generation, dueAt } = pending;
  return {
    name: 'EnforcementCancelled',
    data: {
      partition,
      queue,
      enforcement,
      generation,
      dueAt,
      ...(current && { current }),
      cause,
      ...(by !== undefined && { by }),
      notices: [],
    },
  };
}

export function suspended(
  state: ClockState,
  pending: { enforcement: string; dueAt: string },
  { enabled, stop }: HeldClock,
): DomainEvent {
  const { partition, queue } = state;
  return {
    name: 'EnforcementSkipped',
    data: {
      partition,
      queue,
      cause: 'suspended',
      enforcement: pending.enforcement,
      notices: [clockNotices.suspended(queue, pending.dueAt, enabled ? stop : undefined)],
    },
  };
}

export function noteValues(state: ClockState, current: QuotaValues): DomainEvent[] {
  if (sameValues(state.values, current)) return [];
  return [{ name: 'QuotaNoted', data: { partition: state.partition, queue: state.queue, current } }];
}
