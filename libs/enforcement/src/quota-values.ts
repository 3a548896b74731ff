import { amountsOfLimit, type Limit, type QuotaValues, type Resources, shareText } from '#contracts';
import { inWords, limitsNothing, sameAmounts } from './amounts.js';

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
