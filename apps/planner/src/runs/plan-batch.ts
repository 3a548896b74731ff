import type { Mode } from '#enforcement';
import type { PlannerSettings } from '../settings/planner-settings.js';
import { Leaving } from './leaving.js';
import type { StartedRun } from './locks.js';
import { planRun, type RunWithPlan } from './plan-run.js';
import type { Views } from './views.js';

/**
 * Plans runs in their order: the victims of earlier runs of the batch are not in the database yet, and count as leaving for the later ones.
 *
 * @param modes of their partitions.
 */
export async function planBatch(
  started: readonly StartedRun[],
  modes: ReadonlyMap<string, Mode>,
  views: Views,
  settings: PlannerSettings,
): Promise<RunWithPlan[]> {
  const leaving = new Map([...modes.keys()].map((partition) => [partition, new Leaving()]));
  const planned: RunWithPlan[] = [];
  while (planned.length < started.length) {
    // All of them are packed before the next snapshots are taken, which bounds those in memory.
    await Promise.all(planned.map(({ record }) => record.made()));
    for (const view of await views.ofFirst(started.slice(planned.length))) {
      const { partition } = view.started.data;
      const mode = modes.get(partition)!;
      const run = planRun(view, leaving.get(partition)!, mode, settings);
      planned.push(run);
      if (mode === 'enforce') leaving.get(partition)!.add(run.victims, run.owners);
    }
  }
  return planned;
}
