import type { RunControl } from './control.js';
import type { RunState } from './run-state.js';

/** Whether an operator has lifted the ceilings of the partition for this run, or for all runs of its configuration. */
export function ceilingsLifted(state: RunState, { change }: Pick<RunControl, 'change'>): boolean {
  return state.ceilingsLifted || change?.approved === true;
}

/**
 * Whether an open run waits for an approval: from its opening on, or since it was held. An approval from before the hold,
 * which was given for the size of the plan, does not lift a ceiling.
 */
export function awaitsApproval(state: RunState, { change }: Pick<RunControl, 'change'>): boolean {
  if (change?.approved) return false;
  if (state.opened?.needsApproval && !state.approved) return true;
  return state.held !== undefined && !state.ceilingsLifted;
}
