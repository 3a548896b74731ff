import { comparableLimits, type QuotaValues, type Resources } from '#contracts';
import { amountOf, isNothing } from '../amounts.js';

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
