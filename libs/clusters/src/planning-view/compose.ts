import {
  type ClusterSnapshot,
  chainFromRoot,
  clusterSize,
  InputError,
  type RecentVictim,
  resolveShares,
  type SnapshotQueue,
} from '#contracts';
import type { QueueInForce, SettingOverrides } from './in-force.js';

export interface Overlay {
  /** The limits. Limits that the cluster itself reports are ignored. */
  queues: readonly QueueInForce[];
  /** Queues whose enforcement fired earlier and still runs. */
  enforcing: ReadonlySet<string>;
  /** Allocations that a run is about to evict; they count as leaving. */
  preempting: readonly VictimKey[];
}

/** The id of a victim that a run has planned, and its uid; null: the id is enough. Another incarnation is not about to be evicted. */
export type VictimKey = readonly [id: string, uid: string | null];

/** SQL for all of a partition, as `PlannedVictim`; $1 partition. */
export const PLANNED_VICTIMS =
  'ARRAY(SELECT ARRAY[allocation, uid] FROM leaving_victims WHERE partition = $1)';

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

  return withLeaving({ ...cluster, queues }, stillThere(cluster, overlay.preempting));
}

/** The ids of victims that the cluster still has, in the incarnation that was planned. */
function stillThere({ allocations }: ClusterSnapshot, planned: readonly VictimKey[]): Set<string> {
  if (planned.length === 0) return new Set();
  const uids = new Map<string, (string | null)[]>();
  for (const [id, uid] of planned) {
    const known = uids.get(id);
    if (known) known.push(uid);
    else uids.set(id, [uid]);
  }
  const there = allocations.filter(({ id, uid }) =>
    uids.get(id)?.some((wanted) => wanted === null || wanted === uid),
  );
  return new Set(there.map(({ id }) => id));
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

/** The queues with the properties that hold. An override of a queue that is not among them has no effect. */
export function withOverrides(
  queues: readonly QueueInForce[],
  overrides: SettingOverrides,
): readonly QueueInForce[] {
  if (Object.keys(overrides).length === 0) return queues;
  return queues.map((queue) =>
    Object.hasOwn(overrides, queue.path)
      ? { ...queue, properties: { ...queue.properties, ...overrides[queue.path] } }
      : queue,
  );
}

/** The same snapshot, in which owner budgets count these victims too. */
export function withFurtherVictims(
  snapshot: ClusterSnapshot,
  victims: readonly RecentVictim[],
): ClusterSnapshot {
  if (victims.length === 0) return snapshot;
  return { ...snapshot, recentVictims: [...(snapshot.recentVictims ?? []), ...victims] };
}

/** No node of the partition is known yet, and the quota of a queue is a share of them. The state is temporary. */
export class NodesUnknown extends InputError {
  constructor(queue: string) {
    super(
      'nodes',
      `none are known yet, so the share of ${queue} cannot be resolved; wait until the scheduler has reported its nodes`,
    );
  }

  override get code(): string {
    return 'nodes-unknown';
  }
}

/** The queues of a configuration that is not in force, which previews look up as runs read theirs from the database. */
export class ProposedQueues {
  private readonly byPath: ReadonlyMap<string, QueueInForce>;
  private readonly paths: readonly string[];

  constructor(private readonly queues: readonly QueueInForce[]) {
    this.byPath = new Map(queues.map((queue) => [queue.path, queue]));
    this.paths = [...this.byPath.keys()].sort();
  }

  /** The queues that are configured of the path and those above it, from the root down. */
  chain(path: string): QueueInForce[] {
    return chainFromRoot(path).flatMap((link) => this.byPath.get(link) ?? []);
  }

  /** As `queuesInForce`: a queue, its chain and everything below it; without `queue` all. */
  within(queue?: string): readonly QueueInForce[] {
    if (queue === undefined) return this.queues;
    const below = this.paths.slice(this.firstFrom(`${queue}.`), this.firstFrom(`${queue}/`));
    return [...this.chain(queue), ...below.map((path) => this.byPath.get(path)!)];
  }

  /** The index of the first path that is not before `bound`. */
  private firstFrom(bound: string): number {
    let [low, high] = [0, this.paths.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.paths[middle]! < bound) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
