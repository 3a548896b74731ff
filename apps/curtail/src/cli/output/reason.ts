import type { Facts } from '#contracts';
import { shortReason as inWords } from '#planning/words';
import { clockText, withClockTimes } from './time.js';

/** A victim of a plan or a run, as the API gives it. */
interface Decided {
  reason: string;
  rule?: string | null;
  facts?: Facts | null;
}

/**
 * The reason of a victim for a table that already shows queue and amounts: its number, the values that the rules compare, and the
 * deciding rule. Where these were not recorded, the whole sentence.
 */
export function shortReason({ reason, rule, facts }: Decided): string {
  const short = rule && facts ? inWords(rule, facts, clockText) : undefined;
  return short ?? withClockTimes(reason);
}
