import type { DigestReplay } from '#contracts/api';
import { digestOfPlan } from '#event-store';
import type { RecordedPlan, Replanned } from './made-again.js';

const differencesListed = 1000;

export const noneCompared = (): DigestReplay => ({ plans: 0, same: 0, different: [], notKept: 0 });

/** Compares one recomputed plan with its recorded digest, and adds the result to `found`. */
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
