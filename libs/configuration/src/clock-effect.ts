import { type ComparableLimit, comparableLimits } from '#contracts';
import type { ClockEffect } from '#contracts/api';

/** The values that a clock depends on, exact. `max: null` = no limit; `delayMs` 0 = off. */
export interface ClockValues extends ComparableLimit<bigint | number> {
  delayMs: bigint | number;
}

/** Why the clock of a queue ends that the new configuration no longer has. */
export const leaves = 'the queue leaves the configuration';

/**
 * The effect of saving new values on the clock of a queue with no run in progress, under the default timer policy; rows b to g
 * of docs/reference/policies/quota-decrease.md §3.1. Before its first configuration a queue is `{max: null, delayMs: 0}`.
 *
 * @param current undefined where the queue leaves the configuration.
 */
export function effectOnClock(
  { delayMs: delayBefore, ...limitBefore }: ClockValues,
  current: ClockValues | undefined,
): { effect: ClockEffect; because: string } {
  const { delayMs: delayAfter, ...limitAfter } = current ?? { delayMs: 0, max: null };
  const [before, after] = comparableLimits(limitBefore, limitAfter);
  // A clock can only be pending if the values before let it start.
  const pendingBefore = BigInt(delayBefore) > 0n && limits(before);
  const nothingPending = (because: string) => ({
    effect: pendingBefore ? ('cancels' as const) : ('none' as const),
    because,
  });
  if (current === undefined) return nothingPending(leaves);
  if (BigInt(delayAfter) === 0n) return nothingPending('the delay is 0');
  if (!limits(after)) return nothingPending('there is no max');
  const sameMax = !lowered(before, after) && !lowered(after, before);
  const sameDelay = BigInt(delayBefore) === BigInt(delayAfter);
  if (sameMax && sameDelay) return { effect: 'none', because: 'neither max nor delay changes' };
  if (sameMax) return { effect: 'starts or restarts', because: 'the delay changes' };
  if (lowered(before, after)) {
    const isKnown = isShareOnly(limitBefore) === isShareOnly(limitAfter) || !limits(before);
    const because = isKnown ? 'max goes down' : 'the size of the cluster decides whether max goes down';
    return { effect: 'starts or restarts', because };
  }
  return nothingPending('max only goes up');
}

/** Whether a limit goes down in some type, one that had none in it included. */
export function isLowered(
  previous: ComparableLimit<bigint | number>,
  current: ComparableLimit<bigint | number>,
): boolean {
  const [before, after] = comparableLimits(previous, current);
  return lowered(before, after);
}

type Amounts = ClockValues['max'];

function limits(max: Amounts): boolean {
  return max !== null && Object.keys(max).length > 0;
}

/** A share of a cluster whose size is unknown. */
const isShareOnly = ({ max, maxShare }: ComparableLimit<bigint | number>): boolean =>
  maxShare !== undefined && max === null;

/** Some type of the new max was higher before, or had no limit. */
function lowered(before: Amounts, after: Amounts): boolean {
  return Object.entries(after ?? {}).some(([type, amount]) => {
    const old = before !== null && Object.hasOwn(before, type) ? before[type] : undefined;
    return old === undefined || old > amount;
  });
}
