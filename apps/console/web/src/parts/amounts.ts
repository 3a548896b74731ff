import { amountText } from '@curtail/contracts';

export type Amounts = Record<string, number>;

/** Amounts for people, such as `30 GB memory, 4 vcore`. */
export function amountsText(amounts: Amounts | null | undefined): string {
  if (!amounts) return 'no limit';
  const texts = Object.entries(amounts).map(([type, amount]) => amountText(type, amount));
  return texts.length === 0 ? 'nothing' : texts.join(', ');
}
