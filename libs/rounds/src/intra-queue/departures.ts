import {
  type ClusterSnapshot,
  chainFromRoot,
  clusterSize,
  type Resources,
  totalOfAllocations,
} from '#contracts';

/** An allocation that was leaving when a round saw it last, or was evicted between two rounds. */
export interface Departure {
  allocation: string;
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
  // An id stays where another incarnation has it: that one has taken the room, or takes room of its own.
  const isGone = ({ allocation }: { allocation: string }) => !there.has(allocation);
  const leaving = allocations.flatMap(({ id, queue, resources, state = 'running' }) =>
    state === 'running' ? [] : [{ allocation: id, queue, resources, until: null }],
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
  const byQueue = byPaths(
    departures.filter(({ until }) => until !== null),
    ({ queue }) => [queue],
  );
  const freed = new Map<string, Resources>();
  if (byQueue.size === 0) return freed;
  const left = roomLeft(snapshot);
  for (const [queue, gone] of byQueue) {
    const limits = [left.nodes, ...chainFromRoot(queue).map((path) => left.queues.get(path))];
    const room = Object.entries(totalOfAllocations(gone)).flatMap(([type, amount]): [string, number][] => {
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
  // Allocations are added up by leaf first: there may be a million of them, and their queues lie deep.
  const leaves = [...byPaths(allocations, ({ queue }) => [queue])].map(([leaf, of]) => ({
    leaf,
    resources: totalOfAllocations(of),
  }));
  const used = byPaths(leaves, ({ leaf }) => chainFromRoot(leaf));
  const leftOf = (limit: Resources, usage: Resources): Resources =>
    Object.fromEntries(Object.entries(limit).map(([type, amount]) => [type, amount - (usage[type] ?? 0)]));
  return {
    nodes: leftOf(clusterSize(nodes ?? []), totalOfAllocations(allocations)),
    queues: new Map(
      queues.map(({ path, max }) => [path, leftOf(max ?? {}, totalOfAllocations(used.get(path) ?? []))]),
    ),
  };
}

/** The items by each path that they count for. */
function byPaths<T>(items: readonly T[], pathsOf: (item: T) => readonly string[]): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const item of items) {
    for (const path of pathsOf(item)) {
      const known = found.get(path);
      if (known) known.push(item);
      else found.set(path, [item]);
    }
  }
  return found;
}
