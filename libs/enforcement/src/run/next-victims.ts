import { toInstant, toMs } from '../instants.js';
import type { RunControl } from './control.js';
import { extendedUntil } from './owner-answers.js';
import { assert, hasOutcome, type PlannedVictim, type RunState } from './run-state.js';
import { isRound, ownChecks } from './state.js';
import { readyAtMs, unitOf } from './unit.js';

/**
 * The victims of the lowest ranks without an outcome that wait neither for a retry, nor for their time to finish, nor
 * for a mate. Returns at most `most` victims, and only one of a round, because the room that it frees affects the
 * decision about the next one. A unit is a page of its own, however large the pages are.
 */
export function nextVictims(
  state: RunState,
  now: string,
  { limits }: RunControl,
  most: number,
): PlannedVictim[] {
  assert(
    Number.isInteger(limits.victimsAtOnce) && limits.victimsAtOnce >= 1,
    'the number of victims at once is not a whole number from 1',
  );
  let wanted = isRound(state) ? 1 : Math.min(limits.victimsAtOnce, most);
  const page: PlannedVictim[] = [];
  let unit: readonly PlannedVictim[] = [];
  for (const victim of readyVictims(state, now)) {
    if (page.length > 0 && !unit.includes(victim)) {
      if (unit.length > 1 || unitOf(state, victim).length > 1) break;
    } else if (page.length === 0) {
      unit = unitOf(state, victim);
      if (unit.length > 1) wanted = ownChecks(state)?.units?.most ?? wanted;
    }
    page.push(victim);
    if (page.length === wanted) break;
  }
  return page;
}

function* readyVictims(state: RunState, now: string): Generator<PlannedVictim> {
  const { waits, metUpTo } = state;
  const { victims } = state.planned!.plan;
  const nowMs = toMs(now);
  const own = ownChecks(state);
  for (const rank of waits.ranks()) {
    if (rank > metUpTo) break;
    const victim = victims[rank - 1]!;
    if (readyAtMs(state, victim) <= nowMs && !own?.awaitsOther(state, victim)) yield victim;
  }
  for (let i = metUpTo; i < victims.length; i++) {
    const victim = victims[i]!;
    if (hasOutcome(state, victim.rank) || own?.awaitsOther(state, victim)) continue;
    if (readyAtMs(state, victim) <= nowMs) yield victim;
  }
}

/** What the victims wait for, if each of them waits. */
export function whatFor(state: RunState, now: string): 'back-off' | 'extension' | 'grace' {
  for (const rank of state.answers.ranks()) {
    if (!hasOutcome(state, rank) && isExtended(state, rank, now)) return 'extension';
  }
  return state.refusals.size > 0 ? 'back-off' : 'grace';
}

function isExtended(state: RunState, rank: number, now: string): boolean {
  const until = extendedUntil(state, rank);
  return until !== undefined && toMs(until) > toMs(now);
}

/** The time at which a waiting victim may be checked, or the run is over. */
export function earliestOf(state: RunState, victims: readonly PlannedVictim[], deadlineAt: string): string {
  let earliestMs = toMs(deadlineAt);
  const own = ownChecks(state);
  for (const rank of state.waits.ranks()) {
    const victim = victims[rank - 1]!;
    const ms = readyAtMs(state, victim);
    if (ms < earliestMs && !own?.awaitsOther(state, victim)) earliestMs = ms;
  }
  return toInstant(earliestMs);
}

/**
 * At most `perSecond` orders within any 1000 ms; a unit that has more victims waits until there were none.
 *
 * @returns how many orders may be given now, and when so many may; undefined: now.
 */
export function rateOf(
  state: RunState,
  now: string,
  perSecond: number,
): { free: number; until(orders: number): string | undefined } {
  assert(
    Number.isInteger(perSecond) && perSecond >= 1,
    'the rate is not a whole number of victims per second',
  );
  const nowMs = toMs(now);
  // Orders that seem to be in the future were given before the machine's clock was set back: waiting for them might
  // take hours.
  const recent = state.recentOrdersMs.filter((orderedMs) => orderedMs <= nowMs && orderedMs + 1000 > nowMs);
  return {
    free: perSecond - recent.length,
    until(orders) {
      const blocking = recent[recent.length + Math.min(orders, perSecond) - perSecond - 1];
      return blocking === undefined ? undefined : toInstant(blocking + 1000);
    },
  };
}
