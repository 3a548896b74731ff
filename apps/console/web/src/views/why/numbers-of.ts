import type { components } from '#api-client';
import { type Amounts, amountsText } from '../../parts/amounts.js';

type Chosen = components['schemas']['AllocationExplanation']['chosen'][number];

/** The quota, by how much it was exceeded, and the part of this victim. */
export function numbersOf({ run, quota, resources }: Pick<Chosen, 'run' | 'quota' | 'resources'>): string {
  const others = run.victims === 1 ? 'one allocation' : `${run.victims} allocations`;
  const target = isNothing(run.target) ? '' : ` to free ${amountsText(run.target)}`;
  const limit = quota === null ? '' : ` The quota of ${run.queue} was ${amountsText(quota)}.`;
  return `a run of ${run.queue} chose ${others}${target}.${limit} This one held ${amountsText(resources)}.`;
}

const isNothing = (amounts: Amounts | null) => Object.values(amounts ?? {}).every((amount) => amount <= 0);
