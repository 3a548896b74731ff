/** The reason of a victim up to its amounts, which stand beside it in a table: its place, and the rule. */
export function shortReason(reason: string): string {
  const [rule = reason] = reason.split('; it gives');
  return rule;
}
