import { PolicyRegistry } from '#contracts';
import { fairShareRuns } from './fair-share/run-policy.js';
import { intraQueueRuns } from './intra-queue/run-policy.js';
import { quotaDecrease } from './quota-decrease/run-policy.js';
import type { RunPolicy } from './run-policy.js';

/** All policies under which runs are carried out. docs/development.md, "Adding a policy" */
export const runPolicies = new PolicyRegistry<RunPolicy>(quotaDecrease, intraQueueRuns, fairShareRuns);
