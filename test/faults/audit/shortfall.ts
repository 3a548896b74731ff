import type { Resources } from '#contracts';
import type { QueueLimits, RemainingAllocation } from './history.js';
import type { InForce } from './in-force.js';
import type { Run } from './runs.js';
import type { Stayed } from './staying.js';
import { chain, isWithin, Usage } from './usage.js';

/** A run that fell short is checked against these facts. */
export interface Facts {
  remaining: readonly RemainingAllocation[];
  limits: ReadonlyMap<string, QueueLimits>;
  runs: ReadonlyMap<string, Run>;
  stayed: readonly Stayed[];
  inForce: InForce;
}

/**
 * Whether a run that reports a shortfall is right. Usage only falls while a system is audited, so
 * what a guaranteed amount kept from going during the run is still kept by it.
 *
 * Usage above the quota has to be covered by victims that stay for a reason that is true. For what they do not cover, no
 * other candidate may be left that could have gone: the plan counted its own victims, and those that other runs were about
 * to evict, as gone.
 *
 * @param over what is above the quota.
 * @returns what is not true of it; empty if all is.
 */
export function liesAboutShortfall(run: Run, over: Resources, facts: Facts): string[] {
  const { planned, queue } = run;
  if (!planned) return ['it has no plan'];
  const own = facts.stayed.filter((one) => one.run === run);
  const lies = own.flatMap((one) => lieAbout(one, over, facts));
  if (lies.length > 0) return lies;

  const others = facts.stayed.filter((one) => wasCountedOn(one, run, planned.index));
  const counted = new Map([...own, ...others].map(({ remaining }) => [remaining.id, remaining]));
  const usage = new Usage(facts.remaining);
  for (const one of counted.values()) usage.remove(one);
  return Object.entries(over).flatMap(([type, amount]) => {
    const covered = new Usage(counted.values()).of(queue, type);
    if (covered >= amount) return [];
    const candidate = facts.remaining.find(
      (one) =>
        !counted.has(one.id) &&
        isWithin(one.queue, queue) &&
        (one.resources[type] ?? 0) > 0 &&
        couldGo(one, usage, facts) &&
        !hadRunOfItsOwn(one.queue, run, planned.index, facts.runs),
    );
    return candidate ? [`${candidate.id} in ${candidate.queue} could have gone`] : [];
  });
}

/** It was left alone for a reason that does not hold. */
function lieAbout(
  { name, code, remaining, index }: Stayed,
  over: Resources,
  { remaining: all, limits, inForce }: Facts,
): string[] {
  if (name === 'VictimFailed') {
    return isRefused(remaining)
      ? []
      : [`${remaining.id} is recorded as failed, and the cluster refused nothing`];
  }
  if (code === 'guaranteed-floor') {
    if (breaksFloor(remaining, new Usage(all), limits)) return [];
    return [`${remaining.id} was spared for a guaranteed amount, and no queue would fall below one`];
  }
  if (code === 'stopped') {
    return inForce.isStopped(remaining.queue, index)
      ? []
      : [`${remaining.id} was spared by a kill switch that was not set`];
  }
  if (code === 'no-longer-needed' && !usesSome(remaining, over)) return [];
  return [`${remaining.id} was spared as ${code}`];
}

/** Planned by another run before this plan, and left alone after it. A run that lost its lock counts for nothing. */
function wasCountedOn({ run, index }: Stayed, own: Run, plannedAt: number): boolean {
  return (
    run !== own &&
    run.planned !== undefined &&
    run.planned.index < plannedAt &&
    index > plannedAt &&
    run.ended?.data.outcome !== 'fenced'
  );
}

/** It runs, is no daemon, and no queue of its chain would fall below its guaranteed amount. */
function couldGo(one: RemainingAllocation, usage: Usage, { limits }: Facts): boolean {
  return one.role !== 'daemon' && !breaksFloor(one, usage, limits);
}

const usesSome = ({ resources }: RemainingAllocation, types: Resources) =>
  Object.keys(types).some((type) => (resources[type] ?? 0) > 0);
const isRefused = ({ refusals = 0 }: RemainingAllocation) => refusals > 0;

function breaksFloor(
  { queue, resources }: RemainingAllocation,
  usage: Usage,
  limits: ReadonlyMap<string, QueueLimits>,
): boolean {
  return chain(queue).some((path) =>
    Object.entries(limits.get(path)?.guaranteed ?? {}).some(([type, floor]) => {
      const amount = resources[type] ?? 0;
      return amount > 0 && usage.of(path, type) - amount < floor;
    }),
  );
}

/** A run takes nothing from queues below that were being enforced themselves when it was planned. §7 step 1 */
function hadRunOfItsOwn(queue: string, own: Run, plannedAt: number, runs: ReadonlyMap<string, Run>): boolean {
  return [...runs.values()].some(
    (other) =>
      other !== own &&
      other.queue !== own.queue &&
      isWithin(other.queue, own.queue) &&
      isWithin(queue, other.queue) &&
      (other.started ?? Number.POSITIVE_INFINITY) < (own.started ?? 0) &&
      (other.released ?? Number.POSITIVE_INFINITY) > plannedAt,
  );
}
