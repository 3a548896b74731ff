/** The policy that enforces the quota of a queue: its runs follow the clocks of queues. */
export const quotaPolicy = 'quota-decrease';

/** The policies that plan a partition again and again, in rounds. A configuration names those that a partition has. */
export const roundPolicyNames = ['intra-queue', 'fair-share'] as const;

export type RoundPolicyName = (typeof roundPolicyNames)[number];
export type Policy = typeof quotaPolicy | RoundPolicyName;
