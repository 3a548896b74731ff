import { toMs } from '../instants.js';
import { extendedUntil } from './owner-answers.js';
import { hasOutcome, outcomeOfVictim, type PlannedVictim, type RunState } from './run-state.js';
import { ownChecks } from './state.js';

/*
 * Victims of a unit go completely or not at all (`Units`). They are checked and ordered in one step, so that a crash finds orders for
 * all of them or for none. From there on the unit has begun: a victim that was refused follows later, although the quota may be met by
 * then, after the extensions of its owners. Only its guaranteed amounts, an operator, and the end of the run can still keep a member.
 */

/** `together`: with the rest of its unit or not at all. `begun`: others of its unit were ordered. */
export type Manner = 'alone' | 'together' | 'begun';

/** The victims that go with this one, itself included, by rank. */
export function unitOf(state: RunState, victim: PlannedVictim): readonly PlannedVictim[] {
  return ownChecks(state)?.units?.of(state, victim) ?? [victim];
}

export function mannerOf(state: RunState, victim: PlannedVictim): Manner {
  const unit = unitOf(state, victim);
  if (unit.length === 1) return 'alone';
  const isOrdered = ({ rank }: PlannedVictim) =>
    state.openOrders.has(rank) || outcomeOfVictim(state, rank) === 'evicted';
  return unit.some(isOrdered) ? 'begun' : 'together';
}

/**
 * When a victim may be checked, in milliseconds since 1970. The rest of its unit waits for its extension, since a part of it is of no use
 * to the owner; in a unit that has not begun it waits for each other wait too.
 */
export function readyAtMs(state: RunState, victim: PlannedVictim): number {
  const { waits } = state;
  if (waits.size === 0) return 0;
  const wait = waits.get(victim.rank) ?? 0;
  const unit = unitOf(state, victim);
  if (unit.length === 1) return wait;
  if (mannerOf(state, victim) === 'begun') return Math.max(wait, lastExtension(state, victim)?.ms ?? 0);
  return unit.reduce((latest, { rank }) => Math.max(latest, waits.get(rank) ?? 0), wait);
}

/** The extension in the unit of a victim that ends last, of victims without an outcome. */
export function lastExtension(
  state: RunState,
  victim: PlannedVictim,
): { of: PlannedVictim; until: string; ms: number } | undefined {
  let last: ReturnType<typeof lastExtension>;
  if (state.answers.size === 0) return undefined;
  for (const of of unitOf(state, victim)) {
    const until = hasOutcome(state, of.rank) ? undefined : extendedUntil(state, of.rank);
    if (until === undefined) continue;
    const ms = toMs(until);
    if (!last || ms > last.ms || (ms === last.ms && of === victim)) last = { of, until, ms };
  }
  return last;
}
