import type { Resources } from '#contracts';
import type { QueueHistory } from '#contracts/api';

/** Usage of a queue in the snapshot of a plan. */
export interface PlanInHistory {
  enforcement: string;
  at: string;
  usage: Resources;
}

/** What a run evicted until then, since the entry of the same run before. */
export interface RecordedEvictions {
  enforcement: string;
  at: string;
  amounts: Resources;
}

export interface RecordedUsage {
  at: string;
  usage: Resources;
}

/**
 * The usage of a queue at the moments at which the log states it: that of each plan, less what its run evicted from then on.
 *
 * @param evicted of each run by time; evictions of a run without a plan here are left out.
 * @param found usage that was stated otherwise.
 * @returns by time.
 */
export function usageOf(
  plans: readonly PlanInHistory[],
  evicted: readonly RecordedEvictions[],
  found: readonly RecordedUsage[],
): QueueHistory['usage'] {
  const left = new Map(plans.map(({ enforcement, usage }) => [enforcement, usage]));
  const points = [...plans, ...found].map(({ at, usage }) => ({ at, amounts: usage }));
  for (const { enforcement, at, amounts } of evicted) {
    const before = left.get(enforcement);
    if (!before) continue;
    const after = Object.fromEntries(
      Object.entries(before).map(([type, amount]) => [type, Math.max(0, amount - (amounts[type] ?? 0))]),
    );
    left.set(enforcement, after);
    points.push({ at, amounts: after });
  }
  return points.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}
