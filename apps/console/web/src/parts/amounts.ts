import { amountText } from '#contracts';

export type Amounts = Record<string, number>;

/** Amounts for people, such as `30 GB memory, 4 vcore`. */
export function amountsText(amounts: Amounts | null | undefined): string {
  if (!amounts) return 'no limit';
  // By type, as everywhere: answers have them in any order.
  const texts = Object.keys(amounts)
    .sort()
    .map((type) => amountText(type, amounts[type] ?? 0));
  return texts.length === 0 ? 'nothing' : texts.join(', ');
}

/** An amount where its type is known, such as `30 GB` or `4`. */
export function shortAmount(type: string, amount: number): string {
  return amountText(type, amount).slice(0, -type.length).trimEnd();
}

/** Usage beside the quota, such as `160 GB of 120 GB memory`; without a quota `160 GB memory`. */
export function usageText(type: string, usage: number, quota: number | undefined): string {
  return quota === undefined
    ? amountText(type, usage)
    : `${shortAmount(type, usage)} of ${amountText(type, quota)}`;
}
