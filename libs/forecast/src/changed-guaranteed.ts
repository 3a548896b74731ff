import type { QueueInForce } from '#clusters/planning-view';
import { type Resources, resolveShares } from '#contracts';
import type { ChangedGuaranteed } from '#contracts/api';
import { sameAmounts } from '#enforcement';

type Guaranteed = Pick<QueueInForce, 'path' | 'guaranteed' | 'clusterShare'>;

/**
 * Queues of the new configuration whose guaranteed amounts are others than before: no clock depends on them, and every plan does. Two
 * shares of the cluster are compared as shares.
 *
 * @param clusterSize for the amounts of a share at the moment.
 */
export function changedGuaranteed(
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
