import { comparableLimits, type QuotaValues, type Resources, type TimerPolicy } from '#contracts';
import { amountOf, isNothing } from '../amounts.js';
import { addMs, lastInstantMs, toMs } from '../instants.js';
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
export function verdictOn(
  policy: TimerPolicy,
  { at, previous, current, usage, pendingDueAt }: Change,
): Verdict {
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

/** The reaction of the policy `shift` to a change. */
export type ShiftStep =
  | { kind: 'cancel'; cause: 'delay-zero' | 'max-removed' | 'within-quota' }
  | { kind: 'start'; cause: 'quota-lowered' | 'delay-changed' }
  | { kind: 'move'; byMs: number; cause: 'quota-lowered' | 'delay-changed' }
  | { kind: 'none' };

/**
 * The timer policy `shift`, points 2 to 4 of docs/reference/policies/quota-decrease.md §3.2. Unlike the table of §3.1
 * it depends on the current usage, and a pending clock is moved by the difference of the delays, not restarted.
 */
export function shiftStep(
  previous: QuotaValues,
  current: QuotaValues,
  usage: Resources,
  pending: boolean,
): ShiftStep {
  if (current.delayMs === 0) return { kind: 'cancel', cause: 'delay-zero' };
  const [before, max] = comparableLimits(previous, current).map((limit) => limit ?? {}) as [
    Resources,
    Resources,
  ];
  if (isNothing(max)) return { kind: 'cancel', cause: 'max-removed' };
  // The amounts of a share may not be known yet; then the usage does not count as within it.
  if (current.max !== null && within(usage, current.max)) return { kind: 'cancel', cause: 'within-quota' };

  const change = compare(before, max);
  const cause = change === 'same' ? 'delay-changed' : 'quota-lowered';
  if (!pending) {
    const starts = (change === 'same' && previous.delayMs === 0) || change === 'above';
    return starts ? { kind: 'start', cause } : { kind: 'none' };
  }
  if (change === 'mixed') return { kind: 'none' };
  return { kind: 'move', byMs: current.delayMs - previous.delayMs, cause };
}

/** Usage at or under the max in each type that both have; a queue without any usage is within if every max is above 0. */
function within(usage: Resources, max: Resources): boolean {
  const types = Object.keys(max);
  if (isNothing(usage)) return types.every((type) => amountOf(max, type) > 0);
  return types.every((type) => amountOf(usage, type) === 0 || amountOf(usage, type) <= amountOf(max, type));
}

/** How `a` stands to `b` over the types of both, absent = 0: above = nowhere smaller and somewhere larger. */
function compare(a: Resources, b: Resources): 'same' | 'above' | 'below' | 'mixed' {
  let larger = false;
  let smaller = false;
  for (const type of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const difference = amountOf(a, type) - amountOf(b, type);
    if (difference > 0) larger = true;
    if (difference < 0) smaller = true;
  }
  if (larger && smaller) return 'mixed';
  if (larger) return 'above';
  return smaller ? 'below' : 'same';
}
