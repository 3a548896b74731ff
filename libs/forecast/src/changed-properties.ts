import { isDeepStrictEqual } from 'node:util';
import type { QueueInForce } from '#clusters/planning-view';

/** Remaining queues whose properties for policies change, such as a weight or the timeout of a pool. */
export function changedProperties(
  before: readonly Pick<QueueInForce, 'path' | 'properties'>[],
  after: readonly Pick<QueueInForce, 'path' | 'properties'>[],
): string[] {
  const known = new Map(before.map(({ path, properties }) => [path, properties ?? {}]));
  return after.flatMap(({ path, properties }) => {
    const were = known.get(path);
    return were === undefined || isDeepStrictEqual(were, properties ?? {}) ? [] : [path];
  });
}
