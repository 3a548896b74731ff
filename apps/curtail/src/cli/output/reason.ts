import { withClockTimes } from './time.js';

/**
 * Shortens a victim's reason for a table that already shows queue and amounts: keeps its number, the values that the rules compare,
 * and the deciding rule. Text in another form is kept whole.
 */
export function shortReason(reason: string): string {
  const [rule = reason] = reason.split('; it gives');
  return withClockTimes(rule.replace(/^(Number \d+ of \d+) in \S+,/, '$1,'));
}
