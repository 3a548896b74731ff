/**
 * SQL that is true for a queue and all queues below it. `path` is an expression of the queue's path. Everything below
 * `root.a` starts with `root.a.`, and `/` is the byte after `.`. The first two terms say again what the third says, as the one
 * range that an index is read in: an OR alone has the server read the whole partition. Of what is in that range, such as
 * `root.a-b`, the third leaves out what is not below the queue.
 */
export function inSubtree(column: string, path: string): string {
  return `(${column} >= ${path} AND ${column} < ${path} || '/' AND (${column} = ${path} OR ${column} > ${path} || '.'))`;
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
