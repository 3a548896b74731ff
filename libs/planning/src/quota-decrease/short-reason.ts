import type { Facts } from '#contracts';
import { type QuotaDecreaseRule, quotaDecreaseRules } from './rules.js';

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
