import { digestOfPlan } from '@curtail/event-store';
import type { RecordedPlan, Replanned } from '../made-again.js';

export interface Difference {
  enforcement: string;
  queue: string;
  recorded: string;
  /** Null if no plan came out; `because` says why. */
  replayed: string | null;
  because?: string;
}

export interface DigestReplay {
  plans: number;
  same: number;
  /** The first thousand of them; `plans` without `same` and `notKept` is how many there are. */
  different: Difference[];
  /** Plans whose input is no longer kept: nothing can be said of them. */
  notKept: number;
}

const differencesListed = 1000;

export const noneCompared = (): DigestReplay => ({ plans: 0, same: 0, different: [], notKept: 0 });

/** Adds to `found` how one plan, made again, compares with its recorded digest. */
export function addCompared(
  found: DigestReplay,
  { enforcement, queue, planDigest }: RecordedPlan,
  made: Replanned,
): void {
  found.plans++;
  if (made === 'not kept') {
    found.notKept++;
    return;
  }
  const outcome =
    'because' in made ? { replayed: null, because: made.because } : { replayed: digestOfPlan(made.plan) };
  if (outcome.replayed === planDigest) found.same++;
  else if (found.different.length < differencesListed)
    found.different.push({ enforcement, queue, recorded: planDigest, ...outcome });
}
