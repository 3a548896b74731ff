import type { DomainEvent, Notice } from '@curtail/contracts';
import { countedVictims } from '../limits/ceilings.js';
import type { RunControl } from './control.js';
import { abort } from './end.js';
import { assert, hasOutcome, type RunState } from './run-state.js';
import { isRound } from './state.js';

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

/** A run that may not order its next victims waits. A round ends instead: the next one is judged when it opens. */
export function heldBack(state: RunState, ceiling: Notice): DomainEvent[] {
  if (isRound(state)) return abort(state, { outcome: 'stopped', ...ceiling });
  assert(state.planned, 'there is no plan to hold');
  const { partition, queue, enforcement } = state.planned;
  const remaining = countedVictims(state).filter(({ rank }) => !hasOutcome(state, rank)).length;
  return [{ name: 'EnforcementHeld', data: { partition, queue, enforcement, ...ceiling, remaining } }];
}
