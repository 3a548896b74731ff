import { type ClusterSnapshot, chainFromRoot, clusterSize, type Resources, totalOf } from '#contracts';

/** An allocation that was leaving when a round saw it last, or was evicted between two rounds. */
export interface Departure {
  allocation: string;
  /** The incarnation; null: the cluster does not distinguish incarnations. */
  uid: string | null;
  queue: string;
  resources: Resources;
  /** Once it is gone: until when its room counts for those that wait (RFC 3339). Null: it is still leaving. */
  until: string | null;
}

/** An eviction that a run carried out. */
export interface Evicted extends Pick<Departure, 'allocation' | 'queue' | 'resources'> {
  at: Date;
}

/** A scheduler may need this long to give room out, however short the interval of rounds is. */
const leastMs = 5000;

/** How long freed room counts: two intervals, since the first one may have begun right after the scheduler looked for work. */
export const freedRoomMs = (monitoringIntervalMs = 0): number => Math.max(leastMs, 2 * monitoringIntervalMs);

/**
 * The departures of a partition as of a snapshot: all that is leaving in it, and all that is gone and whose time has not passed.
 *
 * @param known as of the round before.
 * @param evicted lately: what was leaving only between two rounds.
 */
export function departuresAfter(
  known: readonly Departure[],
  evicted: readonly Evicted[],
  { allocations, takenAt = '' }: Pick<ClusterSnapshot, 'allocations' | 'takenAt'>,
  countsMs: number,
): Departure[] {
  const now = Date.parse(takenAt ?? '');
  const there = new Set(known.length + evicted.length === 0 ? [] : allocations.map(({ id }) => id));
  // Another incarnation under the same id has taken the room, or takes room of its own.
  const isGone = ({ allocation }: { allocation: string }) => !there.has(allocation);
  const leaving = allocations.flatMap(({ id, uid = null, queue, resources, state = 'running' }) =>
    state === 'running' ? [] : [{ allocation: id, uid, queue, resources, until: null }],
  );
  const gone = known.filter(isGone).map((departure) => ({
    ...departure,
    until: departure.until ?? new Date(now + countsMs).toISOString(),
  }));
  const isKnown = new Set(known.map(({ allocation }) => allocation));
  const between = evicted
    .filter((eviction) => isGone(eviction) && !isKnown.has(eviction.allocation))
    .map(({ at, ...eviction }) => ({
      ...eviction,
      uid: null,
      until: new Date(at.getTime() + countsMs).toISOString(),
    }));
  return [...leaving, ...gone, ...between]
    .filter(({ until }) => until === null || Date.parse(until) > now)
    .sort((a, b) => (a.allocation < b.allocation ? -1 : 1));
}

/**
 * The room by queue that departures have freed and that is still free: never more than the queue, each queue above it and the nodes
 * have left. Queues without such room are missing. docs/reference/policies/intra-queue.md §5.3
 */
export function freedRoomOf(
  departures: readonly Departure[],
  snapshot: Pick<ClusterSnapshot, 'allocations' | 'queues' | 'nodes'>,
): Map<string, Resources> {
  const byQueue = new Map<string, Departure[]>();
  for (const departure of departures) {
    if (departure.until === null) continue;
    byQueue.set(departure.queue, [...(byQueue.get(departure.queue) ?? []), departure]);
  }
  const freed = new Map<string, Resources>();
  if (byQueue.size === 0) return freed;
  const left = roomLeft(snapshot);
  for (const [queue, gone] of byQueue) {
    const limits = [left.nodes, ...chainFromRoot(queue).map((path) => left.queues.get(path))];
    const room = Object.entries(totalOf(gone)).flatMap(([type, amount]): [string, number][] => {
      const most = limits.reduce((least, limit) => Math.min(least, limit?.[type] ?? least), amount);
      return most > 0 ? [[type, most]] : [];
    });
    if (room.length > 0) freed.set(queue, Object.fromEntries(room));
  }
  return freed;
}

/** What queues have left of their max, and nodes of their capacity together; what is not limited is missing. */
function roomLeft({
  allocations,
  queues,
  nodes,
}: Pick<ClusterSnapshot, 'allocations' | 'queues' | 'nodes'>): {
  nodes: Resources;
  queues: Map<string, Resources>;
} {
  const byLeaf = new Map<string, { resources: Resources }[]>();
  for (const allocation of allocations) {
    const of = byLeaf.get(allocation.queue);
    if (of) of.push(allocation);
    else byLeaf.set(allocation.queue, [allocation]);
  }
  const used = new Map<string, { resources: Resources }[]>();
  for (const [leaf, of] of byLeaf) {
    const resources = totalOf(of);
    for (const path of chainFromRoot(leaf)) used.set(path, [...(used.get(path) ?? []), { resources }]);
  }
  const leftOf = (limit: Resources, usage: Resources): Resources =>
    Object.fromEntries(Object.entries(limit).map(([type, amount]) => [type, amount - (usage[type] ?? 0)]));
  return {
    nodes: leftOf(clusterSize(nodes ?? []), totalOf(allocations)),
    queues: new Map(queues.map(({ path, max }) => [path, leftOf(max ?? {}, totalOf(used.get(path) ?? []))])),
  };
}
