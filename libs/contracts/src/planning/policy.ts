/** The policy that enforces the quota of a queue: its runs follow the clocks of queues. All others plan a partition in rounds. */
export const quotaPolicy = 'quota-decrease';
