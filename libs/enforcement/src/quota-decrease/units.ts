import { BrokenInvariant, type Notice } from '#contracts';
import { outcomeOfVictim, type PlannedVictim, type RunState } from '../run/run-state.js';
import type { Units } from '../run-policy.js';

/*
 * The victims of a plan with the same `unit` are a gang that goes completely or not at all
 * (docs/reference/policies/victim-care.md §7). They have consecutive ranks and are in one leaf queue.
 */

/** A larger unit is spared: its requests would have to be made in several steps, between which the gang would be in parts. */
export const mostInUnit = 1000;

/** The victims that go with this one, itself included, by rank. */
export function unitOf({ planned }: Pick<RunState, 'planned'>, victim: PlannedVictim): PlannedVictim[] {
  if (victim.unit === undefined) return [victim];
  const victims = planned?.plan.victims ?? [];
  const unit: PlannedVictim[] = [];
  for (let i = victim.unit - 1; victims[i]?.unit === victim.unit; i++) unit.push(victims[i]!);
  if (!unit.includes(victim))
    throw new BrokenInvariant(`the unit of ${victim.allocation} does not begin at rank ${victim.unit}`);
  return unit;
}

/** The reason of a member whose unit stays. */
export function unitStays({ application, queue }: PlannedVictim, why: string): Notice {
  const message = `Application ${application} is evicted as a whole or not at all: ${why}`;
  return { code: 'gang', message, about: { kind: 'application', name: application, queue } };
}

/** Why a unit that has not begun cannot go as a whole any more; undefined if it can as far as its other victims are concerned. */
export function unitBroken(state: RunState, victim: PlannedVictim): Notice | undefined {
  const unit = unitOf(state, victim);
  if (unit.length === 1) return undefined;
  if (unit.length > mostInUnit) {
    return unitStays(
      victim,
      `it has ${unit.length} victims, and at most ${mostInUnit} are evicted in one step.`,
    );
  }
  for (const mate of unit) {
    const outcome = outcomeOfVictim(state, mate.rank);
    if (outcome === 'spared') return unitStays(victim, `${mate.allocation} was spared.`);
    if (outcome === 'failed') return unitStays(victim, `the eviction of ${mate.allocation} failed.`);
  }
  return undefined;
}

export const units: Units = {
  most: mostInUnit,
  of: unitOf,
  whyRestStays: (victim, other, why) => unitStays(victim, `${other.allocation} stays. ${why}`),
};
