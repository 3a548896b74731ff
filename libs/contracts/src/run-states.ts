/** The state of a run that waits for an approval of an operator. */
export const waitingForApproval = 'waiting for approval';

/** The states of a run, in the order in which it may have them. */
export const runStates = [
  ...(['scheduled', 'suspended', 'cancelled', 'planning', 'plan failed', 'planned'] as const),
  ...([waitingForApproval, 'approved', 'rejected', 'executing', 'ended'] as const),
] as const;

export type RunStatus = (typeof runStates)[number];

/**
 * Whether another run would free nothing either, whatever work there is: what is guaranteed is never evicted.
 *
 * @param blocked the code of what kept the last run from its target.
 */
export const freesNothing = (blocked: string | undefined): boolean => blocked === 'guaranteed-floor';

/** What helps then, without a capital and a full stop. */
export const moreRoom = 'lower what is guaranteed in it, or raise its quota';

/** Codes of victims that Curtail may have evicted: the answers to its requests were lost. Owner budgets and ceilings count them. */
export const possiblyEvictedCodes: readonly string[] = ['gone-after-request', 'outcome-unknown'];
