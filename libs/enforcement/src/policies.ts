import type { Plan } from '@curtail/contracts';
import { fairShare } from './fair-share/run-policy.js';
import { intraQueue } from './intra-queue/run-policy.js';
import { quotaDecrease } from './quota-decrease/run-policy.js';
import type { RunPolicy } from './run-policy.js';

/** All policies under which runs are carried out. */
const runPolicies: ReadonlyMap<string, RunPolicy> = new Map(
  [quotaDecrease, intraQueue, fairShare].map((policy) => [policy.name, policy]),
);

/** The policies whose runs go on, under locks of their own, when their rounds are over. */
export function policiesOutlivingRounds(): Plan['policy'][] {
  return [...runPolicies.values()].flatMap(({ name, outlivesRound }) => (outlivesRound ? [name] : []));
}

/** @throws Error for a policy that nobody has registered. */
export function runPolicyOf(name: Plan['policy']): RunPolicy {
  const policy = runPolicies.get(name);
  if (!policy) throw new Error(`there is no policy ${name}`);
  return policy;
}
