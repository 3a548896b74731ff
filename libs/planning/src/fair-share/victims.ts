import type { Victim } from '#contracts';
import type { DecidingRules } from '../deciding-rules.js';
import { AmountTexts, instantText, resourcesOf } from '../writing/texts.js';
import type { Draft, DraftVictim } from './draft.js';
import { type FairShareFacts, shortReason } from './short-reason.js';

const GROUPS = ['non-preemptible', 'aggressively preemptible', 'preemptible'] as const;

/**
 * The victims as the plan lists them, in the order in which they were decided.
 *
 * @param rules get the cause of each, and its facts.
 */
export function victimsOf(draft: Draft, rules?: DecidingRules): Victim[] {
  const { snapshot, effective } = draft.judged;
  const { allocations, operations, pools, elements, nodes, types } = snapshot;
  const width = types.length;
  const texts = new AmountTexts();
  return draft.victims.map((chosen, i) => {
    const a = chosen.allocation;
    const operation = allocations.operation[a]!;
    const uid = allocations.uids[a];
    const node = allocations.node[a]!;
    // Key by key, in the order of the contract: some are not always there.
    const victim = { allocation: allocations.ids[a]! } as Victim;
    if (uid !== undefined) victim.uid = uid;
    victim.application = operations.ids[operation]!;
    victim.queue = pools.paths[elements.parent[pools.count + operation]!]!;
    if (node >= 0) victim.node = nodes.ids[node]!;
    victim.resources = resourcesOf(types, (type) => allocations.size[a * width + type]!);
    victim.rank = i + 1;
    const facts = factsOf(draft, chosen);
    rules?.add(chosen.cause, facts);
    const gives = texts.list(types, allocations.size.subarray(a * width, (a + 1) * width));
    victim.reason = `${shortReason(chosen.cause, facts, String)}; it gives ${gives}.`;
    victim.cause = chosen.cause;
    if (chosen.preemptedFor >= 0) victim.preemptedFor = operations.ids[chosen.preemptedFor]!;
    victim.gracePeriodMs = allocations.interruptible[a] === 1 ? effective.preemptionTimeout[operation]! : 0;
    return victim;
  });
}

function factsOf(draft: Draft, { allocation: a, group, preemptedFor }: DraftVictim): FairShareFacts {
  const { allocations, operations, nodes } = draft.judged.snapshot;
  const node = allocations.node[a]!;
  return {
    group: GROUPS[group],
    operation: operations.ids[allocations.operation[a]!]!,
    node: node < 0 ? '' : nodes.ids[node]!,
    ...(preemptedFor < 0 ? {} : { preemptedFor: operations.ids[preemptedFor]! }),
    startedAt: instantText(allocations.startedAt[a]!),
    ...(allocations.optedOut[a] === 1 ? { optedOut: true as const } : {}),
  };
}
