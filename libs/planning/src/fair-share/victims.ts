import type { Victim } from '@curtail/contracts';
import { AmountTexts } from '../writing/amount-text.js';
import { instantText } from '../writing/instant-text.js';
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
    victim.reason = reasonOf(draft, chosen, texts);
    victim.cause = chosen.cause;
    if (chosen.preemptedFor >= 0) victim.preemptedFor = operations.ids[chosen.preemptedFor]!;
    victim.gracePeriodMs = allocations.interruptible[a] === 1 ? effective.preemptionTimeout[operation]! : 0;
    return victim;
  });
}

function reasonOf(draft: Draft, victim: DraftVictim, texts: AmountTexts): string {
  const { allocations, operations, nodes, types } = draft.judged.snapshot;
  const width = types.length;
  const a = victim.allocation;
  const row = a * width;
  const gives = texts.list(types, allocations.size.subarray(row, row + width));
  const started = instantText(allocations.startedAt[a]!);
  const hint = allocations.optedOut[a] === 1 ? ', with a preference to be spared' : '';
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
