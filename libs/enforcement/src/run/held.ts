import type { DomainEvent, Notice } from '#contracts';
import { countedVictims } from '../limits/ceilings.js';
import { abort } from './end.js';
import { assert, hasOutcome, type RunState } from './run-state.js';
import { isRound } from './state.js';

/** A run that may not order its next victims waits. A round ends instead: the next one is judged when it opens. */
export function heldBack(state: RunState, ceiling: Notice): DomainEvent[] {
  if (isRound(state)) return abort(state, { outcome: 'stopped', ...ceiling });
  assert(state.planned, 'there is no plan to hold');
  const { partition, queue, enforcement } = state.planned;
  const remaining = countedVictims(state).filter(({ rank }) => !hasOutcome(state, rank)).length;
  return [{ name: 'EnforcementHeld', data: { partition, queue, enforcement, ...ceiling, remaining } }];
}
