import type { QuotaDecreaseTrigger } from './trigger.js';

/** The policy that enforces the quota of a queue: its runs follow the clocks of queues. All others plan a partition in rounds. */
const quotaPolicy = 'quota-decrease';

/** The kind of the timers that are the clocks of queues. It is also the name of the policy whose runs they start. */
export const clockKind: string = quotaPolicy;

/** The trigger of the runs that the clock of a queue starts. */
export const clockTrigger = (queue: string): QuotaDecreaseTrigger => ({ policy: quotaPolicy, queue });

/** The policy of a run, from an event: those of runs that a clock starts do not name it. */
export const policyOfEvent = (data: { policy?: string }): string => data.policy ?? quotaPolicy;
