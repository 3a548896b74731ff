import {
  counted,
  type Notice,
  ofQueue,
  type QuotaTurns,
  type QuotaValues,
  type Resources,
  type RunFailures,
} from '#contracts';
import { inWords, limitInWords, limitsNothing } from '../amounts.js';
import { type Frozen, type Stop, stoppedBy } from '../run/control.js';
import type { LastRun } from './state.js';

/**
 * Of a queue that is above its quota. A run that was not needed counted on the usage and the quota of then, and on evictions of other runs
 * that were in progress (§4).
 */
export const howLastRunEnded = ({ enforcement, outcome }: LastRun): string =>
  `the last run, ${enforcement}, ended as ${outcome}${
    outcome === 'not-needed'
      ? '; since then the usage or the quota has changed, or evictions of other runs that it counted on have failed'
      : ''
  }`;

/** A start later than this after the due time is reported; less is within the precision of wake-ups. */
export const lateAfterMs = 1000;

export function seconds(ms: number): string {
  return `${ms / 1000} s`;
}

function valuesInWords(values: QuotaValues): string {
  const max =
    values.maxShare === undefined && limitsNothing(values.max) ? 'no max' : `max ${limitInWords(values)}`;
  return `${max}, delay ${seconds(values.delayMs)}`;
}

/** What is used above the max of some types, not above all that follows. */
const quotaInWords = (values: QuotaValues): string => `its quota (${valuesInWords(values)})`;

/** Why a clock waits for a max that is flapping, and for how long. @param max `its max`, or whose it is. */
export const flappingInWords = (max: string, { at }: Pick<QuotaTurns, 'at'>, stableMs: number): string =>
  `${max} has changed direction more than ${counted(at.length - 1, 'time')} since ${at[0]}; no run starts until it has stayed the same for ${seconds(stableMs)}.`;

function whatNext(dueAt: string | undefined, isBlocked: boolean): string {
  if (dueAt !== undefined) return `By the setting reconcile, an enforcement is due at ${dueAt}.`;
  if (isBlocked) return 'Once that has changed, request a run of the queue, unless one follows by itself.';
  return 'Change its delay to start its clock.';
}

const whatFollows = (retryUnblocked: boolean): string =>
  retryUnblocked
    ? 'Another one follows by itself as soon as a plan can be made and has victims.'
    : 'Request a run of the queue once the reason has gone.';

/** The usage above a quota, in words; undefined: the amounts of its share of the cluster are not known. */
export type Over = Resources | undefined;

const usedInWords = (over: Over, still = ''): string =>
  over === undefined
    ? `it is not known whether anything is ${still}used`
    : `${inWords(over)} are ${still}used`;

/** The notices of the clock, docs/reference/policies/quota-decrease.md §10: one sentence each, with the queue and the numbers. */
export const clockNotices = {
  changeSkipped: (queue: string, enforcement: string, current: QuotaValues): Notice => ({
    code: 'change-skipped',
    about: ofQueue(queue),
    message:
      `${queue}: the change to ${valuesInWords(current)} has no effect on the clock, ` +
      `because run ${enforcement} of this queue is in progress.`,
  }),
  rescheduled: (queue: string, current: QuotaValues, over: Over, dueAt: string): Notice => ({
    code: 'rescheduled',
    about: ofQueue(queue),
    message:
      `${queue}: the change during the last run takes effect now that it ended: ` +
      `${usedInWords(over)} above ${quotaInWords(current)}; an enforcement is due at ${dueAt}.`,
  }),
  leaseEnded: (queue: string, enforcement: string): Notice => ({
    code: 'lease-ended',
    about: ofQueue(queue),
    message: `${queue}: no executor continued enforcement ${enforcement} before its lease ended; the queue is unlocked.`,
  }),
  againAfterLease: (queue: string, current: QuotaValues, over: Over): Notice => ({
    code: 'lease-ended',
    about: ofQueue(queue),
    message: `${queue}: ${usedInWords(over, 'still ')} above ${quotaInWords(current)}; another enforcement is due at once.`,
  }),
  suspended: (queue: string, dueAt: string, stop: Stop | undefined): Notice => ({
    code: 'suspended',
    about: ofQueue(queue),
    message: stop
      ? `${queue}: the enforcement due at ${dueAt} is suspended: ${stoppedBy(stop)} After ${stop.said === undefined ? 'curtail resume' : 'that'} its delay runs again.`
      : `${queue}: the enforcement due at ${dueAt} is suspended while quota preemption is off in this partition.`,
  }),
  frozen: (queue: string, dueAt: string, { until, freeze }: Frozen): Notice => ({
    code: 'frozen',
    about: ofQueue(queue),
    message: `${queue}: the enforcement due at ${dueAt} waits until ${until}: ${stoppedBy(freeze)}`,
  }),
  flapping: (queue: string, turns: QuotaTurns, stableMs: number, dueAt: string): Notice => ({
    code: 'flapping',
    about: ofQueue(queue),
    message: `${queue}: ${flappingInWords('its max', turns, stableMs)} An enforcement is due at ${dueAt}.`,
  }),
  againAfterStop: (queue: string, enforcement: string, over: Over): Notice => ({
    code: 'stopped',
    about: ofQueue(queue),
    message: `${queue}: ${usedInWords(over, 'still ')} above the quota, since enforcement ${enforcement} was stopped; its clock starts again with the whole delay.`,
  }),
  againAfterBlocked: (queue: string, enforcement: string, why: string, dueAt: string): Notice => ({
    code: 'unblocked',
    about: ofQueue(queue),
    message: `${queue}: enforcement ${enforcement} fell short. ${why} Another enforcement is due at ${dueAt}.`,
  }),
  unblocked: (queue: string, enforcement: string, message: string, dueAt: string): Notice => ({
    code: 'unblocked',
    about: ofQueue(queue),
    message: `${queue}: what blocked enforcement ${enforcement} has changed. ${message} Another enforcement is due at ${dueAt}.`,
  }),
  retried: (queue: string, { count, since }: RunFailures, dueAt: string): Notice => ({
    code: 'retried',
    about: ofQueue(queue),
    message: `${queue}: ${counted(count, 'run has', 'runs have')} failed since ${since}; the next one is due at ${dueAt}.`,
  }),
  givenUp: (queue: string, { count, since }: RunFailures, retryUnblocked: boolean): Notice => ({
    code: 'retries-exhausted',
    about: ofQueue(queue),
    message: `${queue}: ${count} runs have failed since ${since}, and no further one is scheduled. ${whatFollows(retryUnblocked)}`,
  }),
  notMet: (
    queue: string,
    current: QuotaValues,
    over: Resources,
    lastRun: LastRun | undefined,
    dueAt: string | undefined,
    mayFollow: boolean,
  ): Notice => ({
    code: 'quota-not-met',
    about: ofQueue(queue),
    message: [
      `${queue}: ${inWords(over)} are used above ${quotaInWords(current)}, and nothing is due:`,
      lastRun ? `${howLastRunEnded(lastRun)}.` : 'no run has enforced these values.',
      ...(lastRun?.blocked ?? []).slice(0, 1).map(({ message }) => message),
      whatNext(dueAt, mayFollow && lastRun?.blocked !== undefined),
    ].join(' '),
  }),
  firedLate: (queue: string, dueAt: string, lateMs: number): Notice => ({
    code: 'fired-late',
    about: ofQueue(queue),
    message: `${queue}: the enforcement due at ${dueAt} started ${seconds(lateMs)} late.`,
  }),
};
