import { BrokenInvariant, counted, type Notice, type SnapshotAllocation } from '#contracts';
import { outcomeOfVictim, type PlannedRun, type PlannedVictim, type RunState } from '../run/run-state.js';
import type { Units } from '../run-policy.js';

/** The gang of an application as it is now. */
export interface GangOfVictim {
  minMembers: number;
  /** Its members: the running allocations with the role `task` or `originator`, by uid. */
  members: readonly string[];
}

/** The setting `gangs` of the plan of a run. */
export function gangsOf({ planned }: Pick<RunState, 'planned'>): 'whole' | 'spare' | 'ignore' {
  return (planned?.settings.gangs ?? 'whole') as 'whole' | 'spare' | 'ignore';
}

/**
 * Whether a gang would run with too few members once a victim and the rest of its unit are gone: members may have started or ended since
 * the plan was made. docs/reference/policies/victim-care.md §7
 */
export function breaksGang(
  state: RunState,
  victim: PlannedVictim,
  live: SnapshotAllocation,
  gang: GangOfVictim | undefined,
): Notice | undefined {
  const setting = gangsOf(state);
  if (!gang || setting === 'ignore' || live.role === 'daemon' || live.role === 'placeholder')
    return undefined;
  const unit = new Set(unitOf(state, victim).map(keyOf));
  const ranks = ranksOf(state.planned!);
  const stay = gang.members.filter((uid) => !unit.has(uid) && !isGoing(state, ranks.get(uid))).length;
  if (stay >= gang.minMembers || (stay === 0 && setting === 'whole')) return undefined;
  const { application, queue } = victim;
  const message = `Application ${application} would run with ${counted(stay, 'member')}, and needs ${gang.minMembers}.`;
  return { code: 'gang', message, about: { kind: 'application', name: application, queue } };
}

/** A plan without a uid means whichever incarnation has the id; then it is not known as a member, and stays. */
const keyOf = ({ uid }: PlannedVictim) => uid ?? '';

function isGoing(state: RunState, rank: number | undefined): boolean {
  if (rank === undefined) return false;
  return state.openOrders.has(rank) || outcomeOfVictim(state, rank) === 'evicted';
}

/** Kept, since it is asked for each victim. */
const ranks = new WeakMap<PlannedRun, ReadonlyMap<string, number>>();

function ranksOf(planned: PlannedRun): ReadonlyMap<string, number> {
  let known = ranks.get(planned);
  known ??= new Map(planned.plan.victims.map((victim) => [keyOf(victim), victim.rank]));
  ranks.set(planned, known);
  return known;
}

/*
 * The victims of a plan with the same `unit` are a gang that goes completely or not at all
 * (docs/reference/policies/victim-care.md §7). They have consecutive ranks and are in one leaf queue.
 */

/** A larger unit is spared: its requests would have to be made in several steps, between which the gang would be in parts. */
export const mostInUnit = 1000;

/** The victims that go with this one, itself included, by rank. */
function unitOf({ planned }: Pick<RunState, 'planned'>, victim: PlannedVictim): PlannedVictim[] {
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
