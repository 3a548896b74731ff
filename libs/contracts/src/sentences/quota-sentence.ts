import type { QuotaValues } from '../events/shapes.js';
import { amountText } from '../planning/amount-text.js';
import type { Resources } from '../planning/resources.js';
import { shareText } from '../shares/cluster-share.js';

/** `max: 200 GB memory becomes 120 GB memory; delay: 1 h becomes 20 s`. A queue that was not configured before had no max and no delay. */
export function quotaSentence(previous: QuotaValues, current: QuotaValues): string {
  const parts = [...maxParts(previous, current), ...delayParts(previous.delayMs, current.delayMs)];
  // A quota that follows the cluster may be another share and the same amounts.
  return parts.length === 0 ? 'its quota has another notation' : parts.join('; ');
}

function maxParts(previous: QuotaValues, current: QuotaValues): string[] {
  const [old, now] = [previous.max ?? {}, current.max ?? {}];
  const types = [...new Set([...Object.keys(old), ...Object.keys(now)])].sort();
  const changed = types.filter((type) => old[type] !== now[type]);
  const amounts = changed.map((type) => `max: ${amountOf(type, old)} becomes ${amountOf(type, now)}`);
  const { maxShare: oldShare } = previous;
  const { maxShare: share } = current;
  if (oldShare === share) return amounts;
  const text = (value: QuotaValues['maxShare']) =>
    value === undefined ? 'fixed amounts' : `${shareText(value)} of the cluster`;
  return [`max: ${text(oldShare)} becomes ${text(share)}`, ...amounts];
}

const amountOf = (type: string, amounts: Resources): string => {
  const amount = amounts[type];
  return amount === undefined ? `no limit of ${type}` : amountText(type, amount);
};

/** As in tables: a delay of 0 is none, whether it was set or not. */
const delayText = (ms: number): string => (ms === 0 ? 'off' : `${ms / 1000} s`);

const delayParts = (old: number, now: number): string[] =>
  old === now ? [] : [`delay: ${delayText(old)} becomes ${delayText(now)}`];
