import type { QueueUsage } from '#clusters';
import { type ClusterShare, type Resources, resolveShares } from '#contracts';
import { overBy } from '#enforcement';

/**
 * The usage of a queue above its quota, without work that is leaving; empty without a limit.
 *
 * @param size of the cluster, for a quota that is a share of it; `{}` if not known.
 */
export function aboveQuota(
  { max, clusterShare }: { max: Resources | null; clusterShare: ClusterShare | null },
  size: Resources,
  used: QueueUsage | undefined,
): Resources {
  const limit = resolveShares({ max, clusterShare, guaranteed: null }, size).max;
  return used && limit ? overBy(used, limit) : {};
}
