import type { Victim } from '@curtail/contracts';
import { AmountTexts } from '../writing/amount-text.js';
import { resourcesOf } from '../writing/resources.js';
import type { Draft, DraftVictim } from './draft.js';
import { PLAIN } from './groups.js';

const GROUP_TEXTS = ['non-preemptible', 'aggressively preemptible', 'preemptible'] as const;

/** The victims as the plan lists them, in the order in which they were decided. */
export function victimsOf(draft: Draft): Victim[] {
  const { snapshot, effective } = draft.judged;
  const { allocations, operations, pools, elements, nodes, types } = snapshot;
  const width = types.length;
  const texts = new AmountTexts();
  return draft.victims.map((victim, i) => {
    const a = victim.allocation;
    const operation = allocations.operation[a]!;
    const uid = allocations.uids[a];
    const node = allocations.node[a]!;
    const preemptedFor = victim.preemptedFor < 0 ? undefined : operations.ids[victim.preemptedFor]!;
    return {
      allocation: allocations.ids[a]!,
      ...(uid === undefined ? {} : { uid }),
      application: operations.ids[operation]!,
      queue: pools.paths[elements.parent[pools.count + operation]!]!,
      ...(node < 0 ? {} : { node: nodes.ids[node]! }),
      resources: resourcesOf(types, (type) => allocations.size[a * width + type]!),
      rank: i + 1,
      reason: reasonOf(draft, victim, texts),
      cause: victim.cause,
      ...(preemptedFor === undefined ? {} : { preemptedFor }),
      gracePeriodMs: allocations.interruptible[a] === 1 ? effective.preemptionTimeout[operation]! : 0,
    };
  });
}

function reasonOf(draft: Draft, victim: DraftVictim, texts: AmountTexts): string {
  const { allocations, operations, nodes, types } = draft.judged.snapshot;
  const width = types.length;
  const a = victim.allocation;
  const row = a * width;
  const gives = texts.list(types, allocations.size.subarray(row, row + width));
  const started = new Date(allocations.startedAt[a]!).toISOString();
  const hint = allocations.hinted[a] === 1 ? ', with the wish to be spared' : '';
  const owner = operations.ids[allocations.operation[a]!]!;
  const what = `${GROUP_TEXTS[victim.group]} for ${owner}, started ${started}${hint}`;
  const node = allocations.node[a]! < 0 ? '' : nodes.ids[allocations.node[a]!]!;
  switch (victim.cause) {
    case 'resource-limits':
      return `Its operation or a pool above it is over its limits; it is ${what}; it gives ${gives}.`;
    case 'overcommit':
      if (victim.group !== PLAIN) {
        return `Node ${node} has held more than its capacity for too long, and it does not fit beside safer and older ones; it is ${what}; it gives ${gives}.`;
      }
      return `Node ${node} holds more than its capacity; it is ${what}; it gives ${gives}.`;
    case 'starvation':
    case 'aggressive-starvation': {
      const starving = victim.cause === 'starvation' ? 'is starving' : 'is starving aggressively';
      const served = operations.ids[victim.preemptedFor]!;
      return `Operation ${served} ${starving} and starts on ${node} in its place; it is ${what}; it gives ${gives}.`;
    }
  }
}
