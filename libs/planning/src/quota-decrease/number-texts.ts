/** Kept for later plans: 100,000 texts take about 4 MB. */
const MOST_KEPT = 100_000;

const kept: string[] = [];

/** How the reason of a victim of this number in the order of its leaf begins. Every plan has the same ones. */
export function numberText(number: number): string {
  if (number >= MOST_KEPT) return `Number ${number}`;
  for (let next = kept.length; next <= number; next++) kept.push(`Number ${next}`);
  return kept[number]!;
}
