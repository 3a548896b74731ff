import { fairShare } from './fair-share/round-policy.js';
import { intraQueue } from './intra-queue/round-policy.js';
import type { RoundPolicy } from './round-policy.js';

/** All policies that plan in rounds, in the order in which their rounds are planned. */
export const roundPolicies: readonly RoundPolicy[] = [intraQueue, fairShare];

const byName = new Map<string, RoundPolicy>(roundPolicies.map((policy) => [policy.name, policy]));

/** @throws Error for a policy without rounds. */
export function roundPolicyOf(name: string): RoundPolicy {
  const policy = byName.get(name);
  if (!policy) throw new Error(`there is no policy ${name} that plans in rounds`);
  return policy;
}
