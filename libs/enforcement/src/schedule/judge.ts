import type { QuotaValues, Resources, TimerPolicy } from '#contracts';
import { addMs, lastInstantMs, toMs } from '../instants.js';
import { shiftStep } from './shift.js';
import { rowOf } from './table.js';

/** The effect of a change on the clock, under either timer policy. */
export type Verdict =
  | { kind: 'none' }
  | { kind: 'cancel'; cause: 'delay-zero' | 'max-removed' | 'quota-raised' | 'within-quota' }
  | { kind: 'due'; dueAt: string; cause: 'quota-lowered' | 'delay-changed' };

/** A change of max or delay that was saved at `at`, and the due time that is pending, if any. */
export interface Change {
  at: string;
  previous: QuotaValues;
  current: QuotaValues;
  /** Of the queue; only `shift` uses it. */
  usage: Resources;
  pendingDueAt: string | undefined;
}

/** docs/reference/policies/quota-decrease.md §3.1 (without row a) and §3.2. */
export function judge(policy: TimerPolicy, { at, previous, current, usage, pendingDueAt }: Change): Verdict {
  const fresh = addMs(at, current.delayMs);
  if (policy === 'shift') {
    const step = shiftStep(previous, current, usage, pendingDueAt !== undefined);
    switch (step.kind) {
      case 'start':
        return { kind: 'due', dueAt: fresh, cause: step.cause };
      case 'move':
        return {
          kind: 'due',
          dueAt: moved(pendingDueAt ?? fresh, step.byMs, fresh),
          cause: step.cause,
        };
      default:
        return step;
    }
  }
  const earliest = policy === 'keep-earliest' ? earlier(pendingDueAt, fresh) : fresh;
  switch (rowOf(previous, current)) {
    case 'b':
      return { kind: 'cancel', cause: 'delay-zero' };
    case 'c':
      return { kind: 'cancel', cause: 'max-removed' };
    case 'd':
      return { kind: 'none' };
    case 'e':
      return { kind: 'due', dueAt: earliest, cause: 'delay-changed' };
    case 'f':
      return { kind: 'due', dueAt: earliest, cause: 'quota-lowered' };
    case 'g':
      return { kind: 'cancel', cause: 'quota-raised' };
  }
}

/** A due time that was cut at the year 9999 no longer shows when its clock began, so it cannot be moved by a difference. */
function moved(dueAt: string, byMs: number, fresh: string): string {
  return toMs(dueAt) === lastInstantMs && byMs < 0 ? fresh : addMs(dueAt, byMs);
}

function earlier(pending: string | undefined, fresh: string): string {
  return pending !== undefined && toMs(pending) < toMs(fresh) ? pending : fresh;
}
