import type { Facts } from '#contracts';

/** Of a victim that the order reached. */
export type ReachedFacts = {
  /** Its number in the order of its queue, from 1, and how many candidates that has. */
  number: number;
  of: number;
  kind: 'task' | 'placeholder' | 'originator';
  priority: number;
  optedOut?: true;
  /** RFC 3339, as in the snapshot. */
  startedAt: string;
  /** Where the time that is lost counts from a checkpoint. */
  checkpointedAt?: string;
};

/** Of a victim that goes with its gang. */
export type GangFacts = {
  /** The member that the order reached. */
  reached: string;
  /** Why the others go with it. */
  because: string;
};

/** @param shown writes a time. */
export function shortReason(rule: QuotaDecreaseRule, given: Facts, shown: (time: string) => string): string {
  if (rule === 'gang') {
    const { reached, because } = given as GangFacts;
    return `Goes with ${reached}: ${because}`;
  }
  const { number, of, kind, priority, optedOut, startedAt, checkpointedAt } = given as Partial<ReachedFacts>;
  const parts = [
    `Number ${number} of ${of}`,
    `${kind} of priority ${priority}${optedOut ? ' that opted out of preemption' : ''}`,
    ...(startedAt === undefined ? [] : [`started ${shown(startedAt)}`]),
    ...(checkpointedAt === undefined ? [] : [`checkpoint of ${shown(checkpointedAt)}`]),
  ];
  return `${parts.join(', ')}: ${quotaDecreaseRules[rule]}`;
}

/** By code, the rules that put a victim before the next one, in words. docs/reference/policies/quota-decrease.md §5 */
export const quotaDecreaseRules = {
  types: 'its types are closer to the target than those of the next one',
  placeholder: 'placeholders go first (rule 0)',
  originator: 'originators go last (rule 1)',
  priority: 'lower priority goes first (rule 2)',
  'opted-out': 'work that allows preemption goes before work that opted out (rule 3)',
  node: 'its node is cleared before the next one',
  younger: 'younger goes first (rule 4)',
  'less-lost': 'less work is lost than with the next one (rule 4)',
  id: 'equal to the next one but for the smaller id (rule 5)',
  last: 'it is the last candidate',
  gang: 'goes with its gang',
} as const;

export type QuotaDecreaseRule = keyof typeof quotaDecreaseRules;

/** The order of the rules, and what it means that a rule decided. */
export const quotaDecreaseLegend =
  'Rules in their order: placeholders first (0), originators last (1), lowest priority first (2), then who allows preemption (3), ' +
  'then youngest (4), then by id (5). Each victim counts for the rule that put it before the next one.';
