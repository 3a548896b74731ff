import { isDeepStrictEqual } from 'node:util';
import type { QueueInForce } from '#clusters/planning-view';
import { enforcesLimits, isLowered, type PartitionPolicies } from '#configuration';
import {
  counted,
  type DomainEvent,
  nodeLabelsOf,
  ofQueue,
  type QuotaValues,
  type Resources,
  resolveShares,
} from '#contracts';
import type { ChangedGuaranteed, ConfigurationWarning } from '#contracts/api';
import { sameAmounts, sameLimit } from '#enforcement';

/** Represents a queue before it is configured and after it was removed. */
export const unlimited: QuotaValues = { max: null, delayMs: 0 };

export const quotaValuesOf = (queue: QueueInForce | undefined): QuotaValues =>
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
  before: readonly QueueInForce[],
  after: readonly QueueInForce[],
  clusterSize: Resources = {},
): DomainEvent[] {
  const old = new Map(before.map((queue) => [queue.path, resolveShares(queue, clusterSize)]));
  const events: DomainEvent[] = [];
  for (const queue of after.map((one) => resolveShares(one, clusterSize))) {
    const previous = quotaValuesOf(old.get(queue.path));
    const current = quotaValuesOf(queue);
    old.delete(queue.path);
    if (previous.delayMs === current.delayMs && sameLimit(previous, current)) continue;
    events.push({ name: 'QuotaChanged', data: { partition, queue: queue.path, previous, current } });
  }
  for (const queue of old.values()) {
    events.push({
      name: 'QueueRemoved',
      data: { partition, queue: queue.path, previous: quotaValuesOf(queue) },
    });
  }
  return events;
}

type Guaranteed = Pick<QueueInForce, 'path' | 'guaranteed' | 'clusterShare'>;

/**
 * Queues of the new configuration whose guaranteed amounts are others than before: no clock depends on them, and every plan does. Two
 * shares of the cluster are compared as shares.
 *
 * @param clusterSize for the amounts of a share at the moment.
 */
export function guaranteedChanges(
  before: readonly Guaranteed[],
  after: readonly Guaranteed[],
  clusterSize: Resources,
): ChangedGuaranteed[] {
  const known = new Map(before.map((queue) => [queue.path, queue]));
  return after.flatMap((queue) => {
    const previous = guaranteedOf(known.get(queue.path), clusterSize);
    const current = guaranteedOf(queue, clusterSize);
    const isSame =
      previous.guaranteedShare === current.guaranteedShare &&
      (current.guaranteedShare !== undefined || sameAmounts(previous.guaranteed, current.guaranteed));
    return isSame ? [] : [{ queue: queue.path, previous, current }];
  });
}

function guaranteedOf(queue: Guaranteed | undefined, clusterSize: Resources): ChangedGuaranteed['current'] {
  if (queue === undefined) return { guaranteed: null };
  const share = queue.clusterShare?.guaranteed;
  const { guaranteed } = resolveShares({ max: null, ...queue }, clusterSize);
  return { guaranteed, ...(share === undefined ? {} : { guaranteedShare: share }) };
}

/** Remaining queues whose properties for policies change, such as a weight or the timeout of a pool. */
export function changedProperties(
  before: readonly Pick<QueueInForce, 'path' | 'properties'>[],
  after: readonly Pick<QueueInForce, 'path' | 'properties'>[],
): string[] {
  const known = new Map(before.map(({ path, properties }) => [path, properties ?? {}]));
  return after.flatMap(({ path, properties }) => {
    const were = known.get(path);
    return were === undefined || isDeepStrictEqual(were, properties ?? {}) ? [] : [path];
  });
}

const mostNamed = 5;

/** A configuration as it would be in force. */
interface Proposal {
  /** The switch of the partition. */
  enabled: boolean;
  queues: readonly QueueInForce[];
  /** Of the partition; absent: none. */
  policies?: PartitionPolicies;
}

/**
 * `nothing-enforced`: queues whose max goes down without a run that would follow. Rounds may take at once what is above a limit, as in
 * a pool tree of YTsaurus. Where node labels keep everything from being enforced, another warning says so.
 *
 * @param clusterSize resolves shares of the cluster.
 */
export function unenforcedDecreases(
  before: readonly QueueInForce[],
  { enabled, queues, policies = {} }: Proposal,
  clusterSize: Resources = {},
): ConfigurationWarning[] {
  if (enforcesLimits(policies) || nodeLabelsOf(queues).length > 0) return [];
  const known = new Map(before.map((queue) => [queue.path, queue]));
  const lowered = queues.filter((queue) => {
    const old = known.get(queue.path);
    if (!old || (enabled && queue.delayMs > 0)) return false;
    return isLowered(
      quotaValuesOf(resolveShares(old, clusterSize)),
      quotaValuesOf(resolveShares(queue, clusterSize)),
    );
  });
  const more = lowered.length - mostNamed;
  return lowered.slice(0, mostNamed).map(({ path, delayMs }, index) => {
    const further =
      more > 0 && index === mostNamed - 1
        ? ` The same holds for ${counted(more, 'more lowered queue')}.`
        : '';
    const message = `nothing will be enforced, because ${causeOf(enabled, delayMs)}: what is above the lowered max stays until it ends by itself.${further}`;
    return { code: 'nothing-enforced' as const, path, message, about: ofQueue(path) };
  });
}

function causeOf(enabled: boolean, delayMs: number): string {
  const causes = [
    ...(delayMs > 0 ? [] : ['its delay is 0']),
    ...(enabled ? [] : ['the enforcement of quotas is off in the partition']),
  ];
  return causes.join(' and ');
}
