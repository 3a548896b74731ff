import {
  type ClusterSnapshot,
  chainFromRoot,
  clusterSize,
  resolveShares,
  type SnapshotQueue,
} from '@curtail/contracts';
import { type QueueInForce } from './queues-in-force.js';

export interface Overlay {
  /** The limits. Limits that the cluster itself reports are ignored. */
  queues: readonly QueueInForce[];
  /** Queues whose enforcement fired earlier and still runs. */
  enforcing: ReadonlySet<string>;
  /** Allocations that a run is about to evict; they count as leaving. */
  preempting: ReadonlySet<string>;
}

/**
 * Composes the snapshot that a planner reads: the work as the cluster knows it, the limits in force, and Curtail's own runs.
 * A property of the configuration overrides the same property of the cluster. Shares of the cluster become amounts by its current
 * nodes. A queue of the cluster that is not in the configuration was made by a template or a placement rule: it is dynamic.
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
