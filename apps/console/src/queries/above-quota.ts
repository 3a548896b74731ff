import type { QueueUsage } from '@curtail/clusters';
import { type ClusterShare, type Resources, resolveShares } from '@curtail/contracts';
import { overBy } from '@curtail/enforcement';

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
