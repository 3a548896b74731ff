/**
 * SQL that is true for a queue and all queues below it. `path` is an expression of the queue's path. Everything below
 * `root.a` starts with `root.a.`, and `/` is the byte after `.`. The first two terms repeat the third as a single range for the
 * index: with the OR alone the server reads the whole partition. The third term excludes paths in that range that are not below the
 * queue, such as `root.a-b`.
 */
export function inSubtree(column: string, path: string): string {
  return `(${column} >= ${path} AND ${column} < ${path} || '/' AND (${column} = ${path} OR ${column} > ${path} || '.'))`;
}

/**
 * As `inSubtree` of the column `queue`, for a page of a list by id. All queues are below the root: without a range of queues the server
 * reads the page by its ids alone, instead of all that the range holds.
 */
export function listedBelow(queue: string, parameter: `$${number}`): string {
  return queue === 'root' ? `${parameter}::text = 'root'` : inSubtree('queue', `${parameter}::text`);
}
