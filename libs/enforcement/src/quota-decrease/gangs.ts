import { counted, type Notice, type SnapshotAllocation } from '#contracts';
import { outcomeOfVictim, type PlannedRun, type PlannedVictim, type RunState } from '../run/run-state.js';
import { unitOf } from './units.js';

/** The gang of an application as it is now. */
export interface LiveGang {
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
  gang: LiveGang | undefined,
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
