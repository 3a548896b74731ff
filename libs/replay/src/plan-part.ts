import type { Plan, Spared, SparedReason } from '#contracts';
import type { PlanCounts, SparedGroup } from '#contracts/api';

/** The part of a recomputed plan that is needed: copying a large plan out of its thread takes as long as planning. */
export type PlanPart =
  /** At most this many of each list, and the spared allocations by reason. */
  | { first: number }
  /** Only why this allocation was spared. */
  | { spared: string }
  | 'without victims';

export interface PartOfPlan {
  plan: Plan;
  counts?: PlanCounts;
  sparedBy?: SparedGroup[];
}

export function partOfPlan(plan: Plan, part: PlanPart | undefined): PartOfPlan {
  if (part === undefined) return { plan };
  if (part === 'without victims') return { plan: { ...plan, victims: [] } };
  if ('first' in part) return { ...firstOfPlan(plan, part.first), sparedBy: groupsOf(plan.spared ?? []) };
  const spared = (plan.spared ?? []).filter(({ allocation }) => allocation === part.spared);
  return { plan: { ...plan, victims: [], shares: [], notices: [], spared } };
}

/** At most `limit` of each list of a plan, without `spared`, and the length of each list. */
export function firstOfPlan(
  { spared: _, ...plan }: Plan,
  limit: number,
): Required<Omit<PartOfPlan, 'sparedBy'>> {
  const { victims, shares, starts, reasons, statuses, notices } = plan;
  const users = new FirstOfAll(limit);
  const applications = new FirstOfAll(limit);
  const first: Plan = {
    ...plan,
    victims: victims.slice(0, limit),
    shares: shares
      .map((share) => ({
        ...share,
        ...(share.users && { users: users.take(share.users) }),
        ...(share.applications && { applications: applications.take(share.applications) }),
      }))
      .slice(0, limit),
    ...(starts && { starts: starts.slice(0, limit) }),
    ...(reasons && { reasons: reasons.slice(0, limit) }),
    ...(statuses && { statuses: statuses.slice(0, limit) }),
    notices: notices.slice(0, limit),
  };
  const counts = {
    victims: victims.length,
    shares: shares.length,
    users: users.count,
    applications: applications.count,
    starts: starts?.length ?? 0,
    reasons: reasons?.length ?? 0,
    statuses: statuses?.length ?? 0,
    notices: notices.length,
  };
  return { plan: first, counts };
}

/** Takes the first items of several lists together. */
class FirstOfAll {
  count = 0;

  constructor(private readonly limit: number) {}

  take<T>(list: readonly T[]): T[] {
    const room = Math.max(0, this.limit - this.count);
    this.count += list.length;
    return list.slice(0, room);
  }
}

const namedOfEach = 3;

function groupsOf(spared: readonly Spared[]): SparedGroup[] {
  const groups = new Map<SparedReason, SparedGroup>();
  for (const { allocation, reason } of spared) {
    const group = groups.get(reason) ?? { reason, count: 0, first: [] };
    groups.set(reason, group);
    group.count += 1;
    if (group.first.length < namedOfEach) group.first.push(allocation);
  }
  return [...groups.values()];
}
