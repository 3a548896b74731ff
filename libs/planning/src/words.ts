import type { Facts } from '#contracts';
import { fairShareRules } from './fair-share/rules.js';
import { shortReason as ofFairShare } from './fair-share/short-reason.js';
import { intraQueueRules } from './intra-queue/rules.js';
import { quotaDecreaseLegend, quotaDecreaseRules } from './quota-decrease/rules.js';
import { shortReason as ofQuotaDecrease } from './quota-decrease/short-reason.js';

/* An entry of its own, without planners, so that a short command starts fast. */

export { sparedSentence } from './spared-words.js';

interface PolicyWords<Rule extends string> {
  /** By code, the rules that decide that an allocation is a victim and not another one. No two policies share a code. */
  readonly rules: Readonly<Record<Rule, string>>;
  /** Explains the numbers of its rules. Absent: they have none. */
  readonly legend?: string;
  /** Absent: its reasons are short. `shown` writes a time. */
  shortReason?(rule: Rule, facts: Facts, shown: (time: string) => string): string;
}

const policy = <Rule extends string>(words: PolicyWords<Rule>) => words as PolicyWords<string>;

/** The deciding rules of all policies in words. docs/development.md, "Adding a policy" */
export const policyWords = [
  policy({ rules: quotaDecreaseRules, legend: quotaDecreaseLegend, shortReason: ofQuotaDecrease }),
  policy({ rules: intraQueueRules }),
  policy({ rules: fairShareRules, shortReason: ofFairShare }),
];

const wordsWith = (rule: string) => policyWords.find(({ rules }) => Object.hasOwn(rules, rule));

/** The words of a recorded rule of any policy. A rule of a newer version stands for itself. */
export function wordsOfRule(rule: string): string {
  return wordsWith(rule)?.rules[rule] ?? rule;
}

/** Explains the numbers in the words of a rule; undefined if there are none. */
export function legendOfRule(rule: string): string | undefined {
  return wordsWith(rule)?.legend;
}

/**
 * The reason of a victim beside its queue and resources, which a table shows.
 *
 * @param shown writes a time, given as RFC 3339.
 * @returns undefined where the sentence is the only form: its policy has no shorter one, or the rule is of a newer version.
 */
export function shortReason(rule: string, facts: Facts, shown: (time: string) => string): string | undefined {
  return wordsWith(rule)?.shortReason?.(rule, facts, shown);
}
