import { PolicyRegistry } from '#contracts';
import { fairShareRounds } from './fair-share/round-policy.js';
import { intraQueueRounds } from './intra-queue/round-policy.js';
import type { RoundPolicy } from './round-policy.js';

/** All policies that plan in rounds, in the order in which their rounds are planned. docs/development.md, "Adding a policy" */
export const roundPolicies = new PolicyRegistry<RoundPolicy>(intraQueueRounds, fairShareRounds);
