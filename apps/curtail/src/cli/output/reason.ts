import { withClockTimes } from './time.js';

/**
 * The reason of a victim beside a table that has its queue and amounts already: its number, what the rules compare, and the
 * rule that put it there. What does not read as expected stays whole.
 */
export function shortReason(reason: string): string {
  const [rule = reason] = reason.split('; it gives');
  return withClockTimes(rule.replace(/^(Number \d+ of \d+) in \S+,/, '$1,'));
}
