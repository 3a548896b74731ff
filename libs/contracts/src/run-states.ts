/** The state of a run that waits for an approval of an operator. */
export const waitingForApproval = 'waiting for approval';

/** The states of a run, in the order in which it may have them. */
export const runStates = [
  ...(['scheduled', 'suspended', 'cancelled', 'planning', 'plan failed', 'planned'] as const),
  ...([waitingForApproval, 'approved', 'rejected', 'executing', 'ended'] as const),
] as const;

export type RunStatus = (typeof runStates)[number];
