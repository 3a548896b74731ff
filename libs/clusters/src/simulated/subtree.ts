/**
 * SQL that is true for a queue and all queues below it. `path` is an expression of the queue's path. Everything below
 * `root.a` starts with `root.a.`, and `/` is the byte after `.`: with bytewise order this is one key and one range of an
 * index, and `root.a-b` is not in it.
 */
export function inSubtree(column: string, path: string): string {
  return `(${column} = ${path} OR (${column} > ${path} || '.' AND ${column} < ${path} || '/'))`;
}

/** The queues above a queue, root first, without itself. */
export function ancestors(path: string): string[] {
  const names = path.split('.');
  return names.slice(1).map((_, depth) => names.slice(0, depth + 1).join('.'));
}

/** Every path that stands in `paths` or above one of them, in bytewise order. */
export function withAncestors(paths: Iterable<string>): string[] {
  const all = new Set<string>();
  for (const path of paths) {
    all.add(path);
    for (const above of ancestors(path)) all.add(above);
  }
  return [...all].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}
