import { type GuaranteedEqualsMax, sharesFault } from '#contracts';
import { at } from './field.js';
import type { Problems } from './problems.js';
import { quantityText } from './quantity-text.js';
import type { Amount, Amounts, PartitionTree, QueueTree } from './tree.js';

/** Base units by type, where there is a bound. */
export type Bounds = ReadonlyMap<string, bigint>;

/** The effective delay of each queue, in milliseconds; 0 = off. docs/reference/policies/quota-decrease.md §2.2 */
export function effectiveDelays(root: QueueTree, inheritance: boolean): ReadonlyMap<QueueTree, bigint> {
  const delays = new Map<QueueTree, bigint>();
  const visit = (queue: QueueTree, inherited: bigint) => {
    const effective = queue.delay?.ms ?? (inheritance ? inherited : 0n);
    delays.set(queue, effective);
    for (const child of queue.children) visit(child, effective);
  };
  visit(root, 0n);
  return delays;
}

/**
 * Checks the tree of a partition: rules 1 to 5 of docs/reference/policies/quota-decrease.md §2.4, and the sum of shares
 * of docs/reference/policies/victim-care.md §12. Names are checked where they are read. Quotas that are set independently contradict
 * nothing: the smallest max of a chain counts, and a guaranteed amount above it is a warning.
 */
export function checkRules(
  partition: PartitionTree,
  delays: ReadonlyMap<QueueTree, bigint>,
  problems: Problems,
  guaranteedEqualsMax: GuaranteedEqualsMax = 'refuse',
): void {
  const { root } = partition;
  const mode = modeOf(partition, guaranteedEqualsMax);
  checkRootIsOpen(root, problems);
  const visit = (queue: QueueTree, ceiling: Bounds): Bounds => {
    const limit = checkQueue(queue, ceiling, delays.get(queue) ?? 0n, mode, problems);
    checkApplicationCounts(queue, problems);
    checkShares(queue, problems);
    const sum = new Map<string, bigint>();
    for (const child of queue.children) addBounds(sum, visit(child, limit));
    return checkSum(queue, sum, limit, mode, problems);
  };
  visit(root, new Map());
}

/** How the rules hold for all queues of a partition. */
export interface RuleMode {
  isEqualityAllowed: boolean;
  independentQuotas: boolean;
}

export function modeOf(
  { isSwitchedOff, independentQuotas = false }: PartitionTree,
  guaranteedEqualsMax: GuaranteedEqualsMax = 'refuse',
): RuleMode {
  return { isEqualityAllowed: isSwitchedOff || guaranteedEqualsMax === 'allow', independentQuotas };
}

/**
 * The rules of one queue with those above it.
 *
 * @param ceiling the smallest max of the queues above.
 * @param delay its effective delay, in milliseconds.
 * @returns the smallest max of it and the queues above, which is the ceiling of the queues below.
 */
export function checkQueue(
  queue: QueueTree,
  ceiling: Bounds,
  delay: bigint,
  { isEqualityAllowed, independentQuotas }: RuleMode,
  problems: Problems,
): Bounds {
  if (independentQuotas) {
    warnOfGuaranteedAboveMax(queue, problems);
  } else {
    checkGuaranteedBelowMax(queue, problems);
    if (delay > 0n) checkGuaranteedEqualsMax(queue, isEqualityAllowed || queue.delay === undefined, problems);
    checkMaxWithin(queue, ceiling, problems);
  }
  return smaller(ceiling, queue.max);
}

/**
 * The rules of one queue with those below it.
 *
 * @param sum what `checkSum` returned for each of the queues below, added up.
 * @param limit what `checkQueue` returned for it.
 * @returns what is guaranteed in the queue: its own amounts, else those below.
 */
export function checkSum(
  queue: QueueTree,
  sum: Bounds,
  limit: Bounds,
  { independentQuotas }: RuleMode,
  problems: Problems,
): Bounds {
  if (independentQuotas) warnOfGuaranteedOfChildren(queue, sum, limit, problems);
  else checkGuaranteedOfChildren(queue, sum, limit, problems);
  const own = [...queue.guaranteed].filter(([, amount]) => amount.value > 0n);
  return own.length > 0 ? new Map(own.map(([type, amount]) => [type, amount.value])) : sum;
}

export function addBounds(sum: Map<string, bigint>, bounds: Iterable<readonly [string, bigint]>): void {
  for (const [type, amount] of bounds) sum.set(type, (sum.get(type) ?? 0n) + amount);
}

/** Rule 1. */
export function checkRootIsOpen(root: QueueTree, problems: Problems): void {
  if (root.max.size > 0) {
    problems.error(
      root.maxOrigin.path,
      'the root queue has no max; set it on the queues below',
      root.maxOrigin,
    );
  }
  if (root.guaranteed.size > 0) {
    const { path } = root.guaranteedOrigin;
    problems.error(
      path,
      'the root queue has no guaranteed; set it on the queues below',
      root.guaranteedOrigin,
    );
  }
}

/** Rule 2. */
function checkGuaranteedBelowMax(queue: QueueTree, problems: Problems): void {
  for (const [type, { value: guaranteed, unit, origin }] of queue.guaranteed) {
    const limit = queue.max.get(type);
    if (limit === undefined) continue;
    const max = limit.value;
    const missing = guaranteed > max ? missingUnit(type, limit, unit) : undefined;
    if (missing !== undefined) {
      const message = `max is below guaranteed ${quantityText(type, guaranteed)}: ${missing}`;
      problems.error(limit.origin.path, message, limit.origin);
    } else if (guaranteed > max) {
      const most = quantityText(type, max);
      const message = `guaranteed ${quantityText(type, guaranteed)} is above max ${most}; lower it to at most ${most}, or raise max`;
      problems.error(origin.path, message, origin);
    }
  }
}

/**
 * Rule 2, under a delay: who sets one for a queue has to leave room between the two, since a queue never goes below its guaranteed amount.
 * Where the delay is only inherited, or nothing is enforced, the queue may be one with a fixed share.
 */
function checkGuaranteedEqualsMax(queue: QueueTree, isAllowed: boolean, problems: Problems): void {
  for (const [type, { value, origin }] of queue.guaranteed) {
    if (value === 0n || queue.max.get(type)?.value !== value) continue;
    const equal = `guaranteed equals max ${quantityText(type, value)}`;
    if (isAllowed) {
      const message = `${equal}: when the quota is lowered, only usage above guaranteed is evicted after the delay; leave room between the two if more is to go`;
      problems.warning('guaranteed-equals-max', origin.path, message, origin);
    } else {
      const remedy =
        'raise max, lower guaranteed or set the delay to 0 (the setting guaranteedEqualsMax: allow makes this a warning)';
      problems.error(origin.path, `${equal}: with a delay, max must be above guaranteed; ${remedy}`, origin);
    }
  }
}

/** In place of rule 2. */
function warnOfGuaranteedAboveMax(queue: QueueTree, problems: Problems): void {
  for (const [type, { value, origin }] of queue.guaranteed) {
    const max = queue.max.get(type)?.value;
    if (max === undefined || value <= max) continue;
    const [guaranteed, most] = [quantityText(type, value), quantityText(type, max)];
    const message = `guaranteed ${guaranteed} ${type} is above max ${most}: what is guaranteed is not evicted; lower it to at most ${most}, or raise max`;
    problems.warning('guaranteed-above-max', origin.path, message, origin);
  }
}

/** In place of rule 4. */
function warnOfGuaranteedOfChildren(queue: QueueTree, sum: Bounds, limit: Bounds, problems: Problems): void {
  for (const [type, total] of sum) {
    const max = limit.get(type);
    if (max === undefined || total <= max) continue;
    const [guaranteed, most] = [quantityText(type, total), quantityText(type, max)];
    const message = `the guaranteed ${type} of the queues below adds up to ${guaranteed}, more than the max ${most} that holds here: what is guaranteed is not evicted; lower theirs, or raise max`;
    const origin = queue.max.get(type)?.origin ?? queue.origin;
    problems.warning('guaranteed-above-max', origin.path, message, origin);
  }
}

/** Why an amount without a unit is far below another one that has a unit. A number of vcores needs none. */
function missingUnit(type: string, { value, unit }: Amount, other: string | undefined): string | undefined {
  if (unit !== '' || !other || type === 'vcore') return undefined;
  const means = type === 'memory' ? `${value} ${value === 1n ? 'byte' : 'bytes'}` : `${value}`;
  return `${value} has no unit and means ${means}; write ${value}${other}?`;
}

/** Rule 3. */
function checkMaxWithin(queue: QueueTree, ceiling: Bounds, problems: Problems): void {
  for (const [type, { value: max, origin }] of queue.max) {
    const limit = ceiling.get(type);
    if (limit !== undefined && max > limit) {
      problems.error(
        origin.path,
        `max ${quantityText(type, max)} is above ${quantityText(type, limit)}, the max of a queue above; write at most that`,
        origin,
      );
    }
  }
}

/** Rule 4. */
function checkGuaranteedOfChildren(queue: QueueTree, sum: Bounds, limit: Bounds, problems: Problems): void {
  for (const [type, total] of sum) {
    const own = queue.guaranteed.get(type);
    const message = `the guaranteed ${type} of the queues below adds up to ${quantityText(type, total)}`;
    if (own !== undefined && total > own.value) {
      problems.error(
        own.origin.path,
        `${message}, more than the ${quantityText(type, own.value)} of this queue; raise it, or lower theirs`,
        own.origin,
      );
    }
    const most = limit.get(type);
    if (most !== undefined && total > most) {
      const origin = queue.max.get(type)?.origin ?? queue.origin;
      problems.error(
        origin.path,
        `${message}, more than the max ${quantityText(type, most)} that holds here; lower theirs`,
        origin,
      );
    }
  }
}

/** Rule 5, of a queue below one with a count. */
export const isCountFaulty = (own: number | 'unreadable', most: number): boolean =>
  own !== 'unreadable' && (own === 0 || own > most);

/** Rule 5. */
function checkApplicationCounts(queue: QueueTree, problems: Problems): void {
  const most = queue.maxApplications;
  if (most === 'unreadable' || most === 0) return;
  for (const child of queue.children) {
    const own = child.maxApplications;
    if (!isCountFaulty(own, most)) continue;
    const path = at(child.origin.path, 'maxapplications');
    const message =
      own === 0
        ? `the queue above has maxapplications ${most}, so this one needs one too, from 1 to ${most}`
        : `${own} is above the ${most} of the queue above; write 1 to ${most}`;
    problems.error(path, message, child.maxApplicationsOrigin);
  }
}

function checkShares(queue: QueueTree, problems: Problems): void {
  let sum = 0;
  for (const { share } of queue.children) {
    if (share === undefined) continue;
    sum += share.percent;
    const fault = sharesFault(sum);
    if (fault === undefined) continue;
    problems.error(share.origin.path, fault, share.origin);
    return;
  }
}

function smaller(ceiling: Bounds, max: Amounts): Bounds {
  if (max.size === 0) return ceiling;
  const limit = new Map(ceiling);
  for (const [type, { value }] of max) {
    const above = limit.get(type);
    if (above === undefined || value < above) limit.set(type, value);
  }
  return limit;
}
