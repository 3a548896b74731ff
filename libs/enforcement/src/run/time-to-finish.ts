import type { Notice } from '#contracts';
import { addMs, toMs } from '../instants.js';
import { ofVictim, type PlannedVictim, type RunState } from './run-state.js';

/** A victim is not asked to finish if the run could not kill it afterwards. */
export const tooLateToAsk = (victim: PlannedVictim): Notice => ({
  code: 'deadline',
  message: 'Its time to finish would not be over before the deadline of the run.',
  about: ofVictim(victim),
});

export function isTooLateToAsk(
  { opened, killAt }: RunState,
  { rank, gracePeriodMs = 0 }: PlannedVictim,
  now: string,
): boolean {
  if (!opened || gracePeriodMs === 0 || killAt.has(rank)) return false;
  return toMs(addMs(now, gracePeriodMs)) >= toMs(opened.deadlineAt);
}
