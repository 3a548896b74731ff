/** `root.a.b` → `root.a`, `root`. */
export function ancestors(path: string): string[] {
  const parts = path.split('.');
  return parts.slice(1).map((_, i) => parts.slice(0, parts.length - 1 - i).join('.'));
}

/** The queue itself and all above it, up to root. */
export function chain(path: string): string[] {
  return [path, ...ancestors(path)];
}

/** The same, from root down: `root`, `root.a`, `root.a.b`. */
export function chainFromRoot(path: string): string[] {
  return chain(path).reverse();
}

/** Every path in `paths` or above one of them, in bytewise order. */
export function withAncestors(paths: Iterable<string>): string[] {
  const all = new Set<string>();
  for (const path of paths) for (const link of chain(path)) all.add(link);
  return [...all].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

/** True if `path` is `queue` or below it. */
export function isWithin(path: string, queue: string): boolean {
  return path === queue || path.startsWith(`${queue}.`);
}

export function depth(path: string): number {
  return path.split('.').length;
}

/**
 * Whether a hold of a place covers a queue: a partition (null) covers all its queues, and a queue itself and everything below it.
 * `COVERS` says the same in SQL.
 */
export const covers = (place: string | null, queue: string): boolean =>
  place === null || isWithin(queue, place);

/** The same in SQL, where an empty place is the partition. @param place, queue SQL that is never null. */
export const COVERS = (place: string, queue: string): string =>
  `(${place} IN ('', ${queue}) OR starts_with(${queue}, ${place} || '.'))`;
