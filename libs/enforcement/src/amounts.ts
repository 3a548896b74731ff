import {
  amountsOfLimit,
  amountText,
  type Limit,
  type QuotaValues,
  type Resources,
  shareText,
} from '#contracts';

/** True if no type is limited: docs/reference/snapshot.md knows "absent" and "empty" as the same lack of a limit. */
export function limitsNothing(max: Resources | null): boolean {
  return max === null || Object.keys(max).length === 0;
}

/** The same types with the same amounts. None equals no type; an amount of 0 differs from an absent one. */
export function sameAmounts(a: Resources | null, b: Resources | null): boolean {
  const left = a ?? {};
  const right = b ?? {};
  const types = Object.keys(left);
  return (
    types.length === Object.keys(right).length &&
    types.every((type) => Object.hasOwn(right, type) && left[type] === right[type])
  );
}

/** The amount of a type, 0 where it is absent. Own keys only: a type may be called `constructor`. */
export function amountOf(amounts: Resources, type: string): number {
  return Object.hasOwn(amounts, type) ? (amounts[type] ?? 0) : 0;
}

/** `minuend - subtrahend` per type of the minuend, where positive. Keys come in the order of their UTF-16 code units. */
export function positiveDifference(minuend: Resources, subtrahend: Resources): Resources {
  return collect(Object.keys(minuend), (type) => amountOf(minuend, type) - amountOf(subtrahend, type));
}

export function sum(a: Resources, b: Resources): Resources {
  return collect([...Object.keys(a), ...Object.keys(b)], (type) => amountOf(a, type) + amountOf(b, type));
}

/** The usage above a limit: per limited type `usage - inFlight - max`, where positive. §4 */
export function excess(usage: Resources, inFlight: Resources, max: Resources | null): Resources {
  const limits = max ?? {};
  return collect(
    Object.keys(limits),
    (type) => amountOf(usage, type) - amountOf(inFlight, type) - amountOf(limits, type),
  );
}

export function isNothing(amounts: Resources): boolean {
  return Object.values(amounts).every((amount) => amount === 0);
}

/** Amounts above 0, in key order, in an object without surprises for a type called `__proto__`. */
function collect(types: string[], amount: (type: string) => number): Resources {
  const entries = [...new Set(types)]
    .sort((a, b) => (a < b ? -1 : 1))
    .map((type) => [type, amount(type)] as const)
    .filter(([, value]) => value > 0);
  return Object.fromEntries(entries);
}

/** `30 GB memory, 0.5 vcore`, for a sentence. */
export function inWords(amounts: Resources | null): string {
  const types = Object.keys(amounts ?? {}).sort((a, b) => (a < b ? -1 : 1));
  if (types.length === 0) return 'nothing';
  return types.map((type) => amountText(type, amounts?.[type] ?? 0)).join(', ');
}

/** The usage above a limit plus its tolerance, per limited type; allocations that are leaving already do not count. */
export function overBy(
  { usage, inFlight }: { usage: Resources; inFlight: Resources },
  limit: Resources,
  tolerance: Resources = {},
): Resources {
  const allowed = Object.fromEntries(
    Object.keys(limit).map((type) => [type, amountOf(limit, type) + amountOf(tolerance, type)]),
  );
  return excess(usage, inFlight, allowed);
}

/* The values of a quota, whose limit is either amounts or a share of the cluster (docs/reference/policies/quota-decrease.md §2.5). */

/** The same amounts, or the same share of the cluster. The amounts that a share resolves to do not matter. */
export function sameLimit(a: Limit, b: Limit): boolean {
  if (a.maxShare !== undefined || b.maxShare !== undefined) return a.maxShare === b.maxShare;
  return sameAmounts(a.max, b.max);
}

export function sameValues(a: QuotaValues, b: QuotaValues): boolean {
  return a.delayMs === b.delayMs && sameLimit(a, b);
}

/** The values with the amounts that their share resolves to in a cluster of this size, if those are known. */
export function valuesAt(values: QuotaValues, clusterSize: Resources): QuotaValues {
  return { ...values, max: amountsOfLimit(values, clusterSize) ?? values.max };
}

/** `30 GB memory`, or `25 % of the cluster (30 GB memory)`, for a sentence. */
export function limitInWords({ max, maxShare }: Limit): string {
  if (maxShare === undefined) return limitsNothing(max) ? 'no limit' : inWords(max);
  const share = `${shareText(maxShare)} of the cluster`;
  return max === null ? share : `${share} (${inWords(max)})`;
}
