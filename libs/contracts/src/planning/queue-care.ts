import { InputError } from '../input-error.js';
import { parseDelayDuration, type WrittenScalar } from '../quantities/delay.js';
import { quoted } from '../words.js';

/** The properties of a queue for victim care, in `queues.yaml` and in a snapshot. docs/reference/policies/victim-care.md §1 */
export const careProperties = {
  minRun: 'quota.preemption.min.run',
  share: 'quota.preemption.share',
  limit: 'quota.preemption.limit',
} as const;

/**
 * The minimum run time, in milliseconds, rounded up.
 *
 * @throws InputError at `path`, saying what would be right.
 */
export function parseMinRun(value: WrittenScalar, path: string): number {
  return Number(parseDelayDuration(value, path, 'minimum run time').ms);
}

/**
 * The share, a whole percentage from 0 to 100.
 *
 * @throws InputError at `path`, saying what would be right.
 */
export function parseShare({ type, text }: WrittenScalar, path: string): number {
  const percent = (type === 'number' || type === 'text') && /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (percent <= 100) return percent;
  throw new InputError(path, `${quoted(text)} is not a share: write a whole percentage from 0 to 100`);
}

/** The fault if the shares of the children of one queue add up to more than 100; undefined if they do not. */
export function sharesFault(sum: number): string | undefined {
  if (sum <= 100) return undefined;
  return `with this share, those of the queue and its siblings before it add up to ${sum}; 100 is the most`;
}
