import type { Facts, SparedReason } from '#contracts';
import { fairShareRules, shortReason as ofFairShare } from './fair-share/short-reason.js';
import { intraQueueRules } from './intra-queue/reasons.js';
import {
  shortReason as ofQuotaDecrease,
  quotaDecreaseLegend,
  quotaDecreaseRules,
} from './quota-decrease/short-reason.js';

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

/** Why an allocation was spared, in words that need no manual. docs/reference/snapshot.md, "Plan" */
const sentences: { readonly [reason in SparedReason]?: string } = {
  daemon: 'a daemon, which belongs to its node and is never evicted',
  'not-running': 'not running: it is leaving already',
  'other-types': 'holds none of the types to be freed',
  protected: 'protected: by the settings, below a kill switch, or exempt after a recent refusal',
  enforcing: 'is in a queue that had a run of its own',
  'too-young': 'has not run for the minimum run time yet',
  gang: 'its gang would run with too few members, or could not go as a whole',
  'guaranteed-floor': 'without it a queue would be below its guaranteed resources',
  'queue-limit': 'with it a plan would take more from a queue than its limit',
  'disruption-budget': 'a disruption budget had too little left',
  'owner-budget': 'its owner had as many victims as the setting ownerBudgets allows',
  'past-target': 'would have freed more than needed',
  'eviction-failed': 'its eviction by a run before failed, and others are taken in its place',
  'given-back': 'was chosen at first and given back: the others were enough',
  'not-needed': 'was not needed: enough others came before it',
  'queue-disabled': 'is in a queue where in-queue preemption is switched off',
  'enforcement-running': 'is in a queue that had a run of its own, or below one',
  'one-application': 'is in a queue with a single application',
  'nothing-pending': 'is in a queue with nothing pending',
  'below-threshold': 'is in a queue that uses too little of its guaranteed resources',
  originator: 'the master of its application, which is never taken',
  cooling: 'its application lost something a short while ago',
  'no-give': 'its application had nothing to give',
  unfit: 'makes no room for a request that waits',
  'user-limit': 'without it its user would be at or below its limit',
  'round-ceiling': 'exceeds what one round may take',
  'conservative-drf': 'would free more of some type than needed, or no needed type',
  'own-operation': 'belongs to the operation that is served',
  'graceful-operation': 'its operation asked to finish',
  'starving-operation': 'its operation starves itself',
  'non-preemptible': 'well inside the fair share of its operation',
  'aggressive-only': 'inside the fair share of its operation: only aggressive preemption may take it',
  'aggressive-not-allowed': 'its pool allows no aggressive preemption',
  'normal-not-allowed': 'its pool allows no ordinary preemption',
};

/** The words of a reason to spare an allocation. A reason of a newer version stands for itself. */
export function sparedSentence(reason: string): string {
  return (sentences as Record<string, string>)[reason] ?? reason;
}
