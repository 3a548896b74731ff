import type { IntraQueueSpared, Spared } from '#contracts';
import { numbersTo } from '../groups-of.js';
import { RUNNING } from '../snapshot/columns.js';
import type { Round } from './round.js';
import type { SkippedQueueCode } from './skipped-queue.js';
import { FIXED_COOLING, FIXED_DAEMON, FIXED_ORIGINATOR, FIXED_PROTECTED } from './usage.js';
import { TAKEN, VERDICT_REASONS } from './verdicts.js';

const FIXED_REASONS: Readonly<Record<number, IntraQueueSpared>> = {
  [FIXED_ORIGINATOR]: 'originator',
  [FIXED_DAEMON]: 'daemon',
  [FIXED_PROTECTED]: 'protected',
  [FIXED_COOLING]: 'cooling',
};

/**
 * Why each allocation of the queues that is no victim stays, by queue, then id: docs/reference/policies/intra-queue.md §10.
 *
 * @param skipped the skipped queues, by number.
 */
export function sparedOf(
  round: Round,
  leaves: readonly number[],
  skipped: ReadonlyMap<number, SkippedQueueCode>,
  verdicts: Uint8Array,
): Spared[] {
  const { queues, allocations } = round.snapshot;
  const { fixedAs } = round.usage;
  const spared: Spared[] = [];
  for (const leaf of leaves.toSorted((a, b) => (queues.paths[a]! < queues.paths[b]! ? -1 : 1))) {
    const numbers = numbersTo(queues.firstAllocation[leaf + 1]!, queues.firstAllocation[leaf]!);
    numbers.sort((a, b) => (allocations.ids[a]! < allocations.ids[b]! ? -1 : 1));
    const ofQueue = skipped.get(leaf);
    for (const a of numbers) {
      if (verdicts[a] === TAKEN) continue;
      const own = allocations.state[a] !== RUNNING ? 'not-running' : FIXED_REASONS[fixedAs[a]!];
      const reason = ofQueue ?? own ?? VERDICT_REASONS[verdicts[a]!]!;
      spared.push({ allocation: allocations.ids[a]!, reason });
    }
  }
  return spared;
}
