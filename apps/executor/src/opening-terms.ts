import type { OpeningTerms, RunState } from '#enforcement';
import type { OpenRun } from '#runs';
import type { StatusOfControl } from './run-control.js';

/** The terms on which a run is opened now. */
export function openingTerms(
  { queue }: OpenRun,
  { planned }: RunState,
  { now, control, settingsOf }: StatusOfControl,
  { deadlineSeconds, ceilings }: Pick<OpeningTerms, 'deadlineSeconds' | 'ceilings'>,
): OpeningTerms {
  const { approveAboveVictims, approveAbovePercent } = settingsOf(queue);
  return {
    openedAt: now().toISOString(),
    // A plan made while the partition was observed is not carried out; the next run is.
    mode: planned?.mode === 'observe' || planned?.plan.observeOnly ? 'observe' : control.mode,
    max: planned?.max ?? null,
    maxShare: planned?.maxShare,
    deadlineSeconds,
    approveAboveVictims,
    approveAbovePercent,
    isApproved: control.change?.approved === true,
    ceilings,
    allocations: planned?.queueAllocations ?? 0,
    usage: planned?.queueUsage ?? {},
  };
}
