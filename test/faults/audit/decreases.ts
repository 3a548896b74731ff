import type { EventData } from '#contracts';
import type { Logged } from './history.js';

/** A change of a queue's quota, and its place in the log. */
export interface QuotaChange {
  index: number;
  data: EventData<'QuotaChanged'>;
}

export function changesByQueue(log: readonly Logged[]): Map<string, QuotaChange[]> {
  const changes = new Map<string, QuotaChange[]>();
  log.forEach((event, index) => {
    if (event.name !== 'QuotaChanged') return;
    const { queue } = event.data;
    changes.set(queue, [...(changes.get(queue) ?? []), { index, data: event.data }]);
  });
  return changes;
}

/** Whether some type is limited more than before. */
export function lowers({ previous, current }: EventData<'QuotaChanged'>): boolean {
  return Object.entries(current.max ?? {}).some(
    ([type, amount]) => amount < (previous.max?.[type] ?? Number.POSITIVE_INFINITY),
  );
}

/** Whether a clock is to be set for it: a lower max, or another delay under the same max. docs/reference/policies/quota-decrease.md §3.1 */
export function wantsClock(change: EventData<'QuotaChanged'>): boolean {
  return change.current.delayMs > 0 && (lowers(change) || hasSameMax(change));
}

/** Whether it lowers nothing and raises something: what is pending is called off. */
export const raises = (change: EventData<'QuotaChanged'>) => !lowers(change) && !hasSameMax(change);

function hasSameMax({ previous, current }: EventData<'QuotaChanged'>): boolean {
  const [before, now] = [previous.max ?? {}, current.max ?? {}];
  return Object.keys({ ...before, ...now }).every((type) => before[type] === now[type]);
}
