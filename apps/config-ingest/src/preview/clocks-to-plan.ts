import { isWithin } from '#contracts';
import { type ClockAfterSave, type QuotaChange, type ScheduleState } from '#enforcement';

/** The most plans of one preview. */
const plansAtMost = 100;

/**
 * The pending clocks for which a preview makes plans: all, or if there are too many, those of changed queues first, then those of queues
 * above and below one, since their runs affect each other, then the others, each by due time.
 */
export function clocksToPlan(
  clocks: ReadonlyMap<string, ClockAfterSave>,
  changes: readonly Pick<QuotaChange, 'queue'>[],
): { planned: ScheduleState[]; notPlanned: number } {
  const pending = [...clocks.values()].filter(({ state }) => state.pending);
  if (pending.length <= plansAtMost) return { planned: pending.map(({ state }) => state), notPlanned: 0 };
  const changed = changes.filter(({ queue }) => clocks.get(queue)?.state.pending).map(({ queue }) => queue);
  const isChanged = new Set(changed);
  const near = changed.slice(0, plansAtMost);
  const nearness = (queue: string) => {
    if (isChanged.has(queue)) return 0;
    return near.some((other) => isWithin(queue, other) || isWithin(other, queue)) ? 1 : 2;
  };
  const inOrder = pending
    .map((after) => ({ ...after, nearness: nearness(after.state.queue) }))
    .sort((a, b) => a.nearness - b.nearness || byDueTime(a, b));
  return {
    planned: inOrder.slice(0, plansAtMost).map(({ state }) => state),
    notPlanned: pending.length - plansAtMost,
  };
}

export function byDueTime({ state: a }: ClockAfterSave, { state: b }: ClockAfterSave): number {
  const ms = Date.parse(a.pending?.dueAt ?? '') - Date.parse(b.pending?.dueAt ?? '');
  return ms || (a.queue < b.queue ? -1 : 1);
}
