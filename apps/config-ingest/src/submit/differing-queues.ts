import type { QueueInForce } from '#clusters';

/** The queues of two configurations that are not the same objects in both. All others have the same settings. */
export interface DifferingQueues {
  /** In the order of their paths. */
  before: readonly QueueInForce[];
  /** In the order of the configuration. */
  after: readonly QueueInForce[];
}

/** Most configurations differ from the one before in a few queues: the others need not be compared. */
export function differingQueues(
  before: readonly QueueInForce[],
  after: readonly QueueInForce[],
): DifferingQueues {
  const shorter = Math.min(before.length, after.length);
  let begin = 0;
  while (begin < shorter && before[begin] === after[begin]) begin++;
  let end = 0;
  const [last, lastAfter] = [before.length - 1, after.length - 1];
  while (end < shorter - begin && before[last - end] === after[lastAfter - end]) end++;
  const [old, now] = [before.slice(begin, before.length - end), after.slice(begin, after.length - end)];
  const [isOld, isNow] = [new Set(old), new Set(now)];
  return {
    before: byPath(old.filter((queue) => !isNow.has(queue))),
    after: now.filter((queue) => !isOld.has(queue)),
  };
}

/** In the order in which the database has paths: by their bytes. */
export function byPath(queues: readonly QueueInForce[]): readonly QueueInForce[] {
  if (queues.every(({ path }, i) => i === 0 || queues[i - 1]!.path <= path)) return queues;
  // Units of UTF-16 have the same order, except for pairs of them.
  const hasPairs = queues.some(({ path }) => /[\ud800-\udfff]/.test(path));
  return queues.toSorted(({ path: a }, { path: b }) =>
    hasPairs ? Buffer.compare(Buffer.from(a), Buffer.from(b)) : a < b ? -1 : Number(a > b),
  );
}
