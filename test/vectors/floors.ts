import type { ClusterSnapshot, Resources } from '#contracts';

/**
 * Queues that a list of victims brings below their guaranteed amount in a type that a victim of theirs uses. Usage in
 * flight counts as gone. With `only`, other types are not checked. Written from the specification alone, to check plans by other means than those that made them.
 */
export function brokenFloors(
  snapshot: ClusterSnapshot,
  victims: string[],
  only?: readonly string[],
): string[] {
  const gone = new Set(victims);
  return snapshot.queues.flatMap(({ path, guaranteed = {} }) =>
    Object.entries(guaranteed as Resources).flatMap(([type, floor]) => {
      if (only && !only.includes(type)) return [];
      let left = 0;
      let touched = false;
      for (const allocation of snapshot.allocations) {
        if (allocation.queue !== path && !allocation.queue.startsWith(`${path}.`)) continue;
        const amount = allocation.resources[type] ?? 0;
        if (gone.has(allocation.id)) touched ||= amount > 0;
        else if ((allocation.state ?? 'running') === 'running') left += amount;
      }
      return touched && left < floor ? [`${path} keeps ${left} ${type} of ${floor} guaranteed`] : [];
    }),
  );
}

/** The same for every first part of the list. */
export function brokenFloorsOfPrefixes(
  snapshot: ClusterSnapshot,
  victims: string[],
  only?: readonly string[],
): string[] {
  return victims.flatMap((_, i) => brokenFloors(snapshot, victims.slice(0, i + 1), only));
}
