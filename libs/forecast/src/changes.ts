import type { QueueInForce } from '#clusters/planning-view';
import { type DomainEvent, type QuotaValues, type Resources, resolveShares } from '#contracts';
import { sameLimit } from '#enforcement';

/** Represents a queue before it is configured and after it was removed. */
export const unlimited: QuotaValues = { max: null, delayMs: 0 };

export const valuesOf = (queue: QueueInForce | undefined): QuotaValues =>
  queue ? { max: queue.max, delayMs: queue.delayMs, ...shareOf(queue) } : unlimited;

const shareOf = ({ clusterShare }: QueueInForce) =>
  clusterShare?.max === undefined ? {} : { maxShare: clusterShare.max };

/**
 * One event per queue whose max or effective delay changed, in the order of the new configuration, then the
 * removed ones (docs/reference/policies/quota-decrease.md §3.1).
 *
 * @param clusterSize resolves shares of the cluster to current amounts. Two shares are compared as shares: added or removed nodes
 *   change no quota.
 */
export function changes(
  partition: string,
  before: QueueInForce[],
  after: QueueInForce[],
  clusterSize: Resources = {},
): DomainEvent[] {
  const old = new Map(before.map((queue) => [queue.path, resolveShares(queue, clusterSize)]));
  const events: DomainEvent[] = [];
  for (const queue of after.map((one) => resolveShares(one, clusterSize))) {
    const previous = valuesOf(old.get(queue.path));
    const current = valuesOf(queue);
    old.delete(queue.path);
    if (previous.delayMs === current.delayMs && sameLimit(previous, current)) continue;
    events.push({ name: 'QuotaChanged', data: { partition, queue: queue.path, previous, current } });
  }
  for (const queue of old.values()) {
    events.push({ name: 'QueueRemoved', data: { partition, queue: queue.path, previous: valuesOf(queue) } });
  }
  return events;
}
