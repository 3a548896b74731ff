import { nearestOf } from './nearest-of.js';

/** The queue that a misspelt path may mean. The last part of a path may be given alone. */
export function meantQueue(queue: string, paths: readonly string[]): string | undefined {
  const ending = paths.filter((path) => path.endsWith(`.${queue}`));
  return nearestOf(queue, paths) ?? (ending.length === 1 ? ending[0] : undefined);
}
