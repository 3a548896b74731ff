import { compareFractions, InputError, shown } from '#contracts';
import type { QueueSnapshot } from '../snapshot/by-queue.js';
import type { Round } from './round.js';
import { ratioOf } from './skipped-queue.js';

/**
 * The queues of the trigger, numbers by path: the one that it names, or all without children.
 *
 * @throws InputError for a queue that is unknown or has children.
 */
export function leavesOf({ queues }: QueueSnapshot, path: string | undefined): number[] {
  if (path !== undefined) {
    const queue = queues.number.get(path);
    if (queue === undefined) {
      throw new InputError(
        'trigger.queue',
        `the queue ${shown(path)} is not among the queues of the snapshot`,
      );
    }
    if (queues.end[queue] !== queue + 1) {
      throw new InputError(
        'trigger.queue',
        `the queue ${shown(path)} has children; name a queue without, or leave it out for all of them`,
      );
    }
    return [queue];
  }
  const leaves: number[] = [];
  for (let q = 0; q < queues.count; q++) if (queues.end[q] === q + 1) leaves.push(q);
  return leaves.sort((a, b) => (queues.paths[a]! < queues.paths[b]! ? -1 : 1));
}

/** The least served first, those without a guaranteed amount last, then by path: docs/reference/policies/intra-queue.md §7. */
export function inPlanningOrder(round: Round, leaves: readonly number[]): number[] {
  const { usage, guaranteed } = round.snapshot.queues;
  const ratios = new Map(
    leaves.map((q) => [q, ratioOf(round.arithmetic, round.limits(usage, q), round.limits(guaranteed, q))]),
  );
  return leaves.toSorted((a, b) => {
    const left = ratios.get(a);
    const right = ratios.get(b);
    if (!left || !right) return Number(!left) - Number(!right);
    return compareFractions(left, right);
  });
}
