import {
  type ClusterSnapshot,
  chainFromRoot,
  clusterSize,
  resolveShares,
  type SnapshotQueue,
} from '@curtail/contracts';
import { type QueueInForce } from './queues-in-force.js';

export interface Overlay {
  /** The limits: what the cluster itself thinks of them plays no part. */
  queues: QueueInForce[];
  /** Queues whose enforcement fired earlier and still runs. */
  enforcing: ReadonlySet<string>;
  /** Allocations that a run is about to evict: as good as leaving. */
  preempting: ReadonlySet<string>;
}

/**
 * What a planner looks at: the work as the cluster knows it, with the limits in force and what Curtail itself has under way.
 * Of a property that both name, the configuration has the say.
 * Shares of the cluster become amounts by the nodes that it has now. A queue that is in the cluster and not in the configuration was made by a template or a placement rule: it is dynamic.
 */
export function composeSnapshot(cluster: ClusterSnapshot, overlay: Overlay): ClusterSnapshot {
  const size = clusterSize(cluster.nodes ?? []);
  const configured = new Map(overlay.queues.map((queue) => [queue.path, resolveShares(queue, size)]));
  const known = new Map(cluster.queues.map((queue) => [queue.path, queue]));
  const paths = new Set<string>();
  for (const path of [...configured.keys(), ...known.keys()])
    for (const link of chainFromRoot(path)) paths.add(link);

  const queues: SnapshotQueue[] = [...paths].sort(byUtf16).map((path) => {
    const limits = configured.get(path);
    const properties = { ...known.get(path)?.properties, ...limits?.properties };
    return {
      path,
      ...(limits?.max ? { max: limits.max } : {}),
      ...(limits?.guaranteed ? { guaranteed: limits.guaranteed } : {}),
      ...(limits || path === 'root' ? {} : { dynamic: true }),
      ...(overlay.enforcing.has(path) ? { enforcing: true } : {}),
      ...(Object.keys(properties).length > 0 ? { properties } : {}),
    };
  });

  return withLeaving({ ...cluster, queues }, overlay.preempting);
}

/** The same snapshot, in which these allocations count as leaving. */
export function withLeaving(snapshot: ClusterSnapshot, leaving: ReadonlySet<string>): ClusterSnapshot {
  if (leaving.size === 0) return snapshot;
  return {
    ...snapshot,
    allocations: snapshot.allocations.map((allocation) =>
      leaving.has(allocation.id) && (allocation.state ?? 'running') === 'running'
        ? { ...allocation, state: 'preempting' }
        : allocation,
    ),
  };
}

const byUtf16 = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
