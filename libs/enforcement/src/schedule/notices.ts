import type { Notice, QuotaValues, Resources } from '@curtail/contracts';
import { inWords, limitsNothing } from '../amounts.js';

/** A start this much after the due time is told to the administrator; less is the pace of the doorbell. */
export const lateAfterMs = 1000;

export function seconds(ms: number): string {
  return `${ms / 1000} s`;
}

function valuesInWords(values: QuotaValues): string {
  const max = limitsNothing(values.max) ? 'no max' : `max ${inWords(values.max)}`;
  return `${max}, delay ${seconds(values.delayMs)}`;
}

/** The notices of the clock, docs/policies/quota-decrease.md §10: one sentence each, with the queue and the numbers. */
export const clockNotices = {
  changeSkipped: (queue: string, enforcement: string, current: QuotaValues): Notice => ({
    code: 'change-skipped',
    message:
      `${queue}: the change to ${valuesInWords(current)} has no effect on the clock, ` +
      `because enforcement ${enforcement} of this queue runs.`,
  }),
  rescheduled: (queue: string, current: QuotaValues, over: Resources, dueAt: string): Notice => ({
    code: 'rescheduled',
    message:
      `${queue}: the change during the last run takes effect now that it ended: ` +
      `${inWords(over)} are used above ${valuesInWords(current)}; an enforcement is due at ${dueAt}.`,
  }),
  leaseEnded: (queue: string, enforcement: string): Notice => ({
    code: 'lease-ended',
    message: `${queue}: nobody carried enforcement ${enforcement} on, and it gave no sign of life; the queue is unlocked.`,
  }),
  againAfterLease: (queue: string, current: QuotaValues, over: Resources): Notice => ({
    code: 'lease-ended',
    message: `${queue}: ${inWords(over)} are still used above ${valuesInWords(current)}; another enforcement is due at once.`,
  }),
  suspended: (queue: string, dueAt: string): Notice => ({
    code: 'suspended',
    message: `${queue}: the enforcement due at ${dueAt} is suspended while quota preemption is off in this partition.`,
  }),
  firedLate: (queue: string, dueAt: string, lateMs: number): Notice => ({
    code: 'fired-late',
    message: `${queue}: the enforcement due at ${dueAt} started ${seconds(lateMs)} late.`,
  }),
};
