import { createHash } from 'node:crypto';
import type { ClusterSnapshot, Plan, Resources, Victim } from '#contracts';
import { mostNamed, type PlannedOwner } from '#enforcement';
import { type DecidedCandidate, decisionsOf, type RuleRun } from '#planning';

/**
 * What a plan takes from each application, by the rank of its first victim.
 *
 * @param isSpared a victim that a run would spare, since a stop covers its queue.
 */
export function plannedOwners(
  { applications }: ClusterSnapshot,
  { victims }: Plan,
  rules: readonly RuleRun[],
  isSpared: (victim: Victim) => boolean,
): PlannedOwner[] {
  const users = new Map(applications.map(({ id, user }) => [id, user]));
  const groups = new Map<
    string,
    { first: Victim; decision: DecidedCandidate | undefined; victims: Victim[] }
  >();
  const decisions = decisionsOf(rules);
  for (const victim of victims) {
    const decision = decisions.next().value;
    if (isSpared(victim)) continue;
    const known = groups.get(victim.application);
    if (known) known.victims.push(victim);
    else groups.set(victim.application, { first: victim, decision, victims: [victim] });
  }
  return [...groups].map(([application, { first, decision, victims: own }]) => {
    const user = users.get(application);
    const { rule = 'unknown', facts } = decision ?? {};
    return {
      application,
      ...(user !== undefined && { user }),
      victims: own.length,
      allocations: own.slice(0, mostNamed).map(({ allocation }) => allocation),
      digest: digestOf(own.map(({ allocation }) => allocation)),
      resources: sumOf(own),
      rule,
      ...(facts && { facts }),
      reason: first.reason,
    };
  });
}

/** Of a set of ids; their order has no effect. */
function digestOf(ids: readonly string[]): string {
  const hash = createHash('sha256');
  for (const id of [...ids].sort()) hash.update(id).update('\0');
  return hash.digest('hex').slice(0, 16);
}

function sumOf(victims: readonly Victim[]): Resources {
  const sum = new Map<string, number>();
  for (const { resources } of victims) {
    for (const [type, amount] of Object.entries(resources)) sum.set(type, (sum.get(type) ?? 0) + amount);
  }
  return Object.fromEntries(sum);
}
