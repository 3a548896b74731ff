import type { Resources } from '#contracts';
import type { History } from './history.js';
import { runsOf } from './runs.js';
import { isWithin } from './usage.js';

/**
 * An allocation that a plan counts as leaving was ordered to go, or is the victim of a run that still had its lock when this one began. The
 * victims of a run that has lost it are left alone, and to count them is to leave a queue above its quota.
 */
export function lostRunsCountForNothing({ log }: Pick<History, 'log'>): string[] {
  const runs = runsOf(log);
  const victims = new Map<
    string,
    { queue: string; resources: Resources; plannedBy: string[]; ordered: boolean }
  >();
  return log.flatMap((event): string[] => {
    if (event.name === 'VictimOrdered') {
      const victim = victims.get(event.data.allocation);
      if (victim) victim.ordered = true;
    }
    if (event.name !== 'PlanComputed') return [];
    const { enforcement, queue, plan } = event.data;
    const started = runs.get(enforcement)?.started ?? 0;
    const hadItsLock = (other: string) => (runs.get(other)?.released ?? log.length) > started;
    const leaving = [...victims.values()].filter(
      (one) => isWithin(one.queue, queue) && (one.ordered || one.plannedBy.some(hadItsLock)),
    );
    for (const { allocation, queue: of, resources } of plan.victims) {
      const plannedBy = [...(victims.get(allocation)?.plannedBy ?? []), enforcement];
      victims.set(allocation, {
        ordered: false,
        ...victims.get(allocation),
        queue: of,
        resources,
        plannedBy,
      });
    }
    return Object.entries(plan.inFlight ?? {}).flatMap(([type, counted]) => {
      const most = leaving.reduce((sum, { resources }) => sum + (resources[type] ?? 0), 0);
      if (counted <= most) return [];
      return [
        `${enforcement} counted ${type} ${counted} of ${queue} as leaving, of which at most ${most} was`,
      ];
    });
  });
}
