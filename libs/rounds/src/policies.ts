import { fairShare } from './fair-share/round-policy.js';
import { intraQueue } from './intra-queue/round-policy.js';
import type { RoundPolicy } from './round-policy.js';

/** All policies that plan in rounds. */
const roundPolicies: ReadonlyMap<string, RoundPolicy> = new Map(
  [intraQueue, fairShare].map((policy) => [policy.name, policy]),
);

/** @throws Error for a policy without rounds. */
export function roundPolicyOf(name: string): RoundPolicy {
  const policy = roundPolicies.get(name);
  if (!policy) throw new Error(`there is no policy ${name} that plans in rounds`);
  return policy;
}
