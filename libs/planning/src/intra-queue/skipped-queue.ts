import {
  compareFractions,
  type Fraction,
  type IntraQueueSpared,
  type Notice,
  ofQueue,
  type Spared,
} from '#contracts';
import { numbersTo } from '../groups-of.js';
import { RUNNING } from '../snapshot/columns.js';
import type { AmountTexts } from '../writing/texts.js';
import type { TypeAmounts } from './amounts.js';
import type { Arithmetic } from './arithmetic.js';
import { TAKEN, VERDICT_REASONS } from './in-queue-snapshot.js';
import type { LeafQueue } from './leaf-queue.js';
import type { InQueueRound } from './round.js';
import { FIXED_COOLING, FIXED_DAEMON, FIXED_ORIGINATOR, FIXED_PROTECTED } from './usage.js';

export type SkippedQueueCode =
  | 'queue-disabled'
  | 'enforcement-running'
  | 'one-application'
  | 'nothing-pending'
  | 'below-threshold';

/** A queue that is skipped, and why. */
export interface SkippedQueue extends Notice {
  readonly code: SkippedQueueCode;
}

/** Whether a queue may not be planned at all, whatever is in it; null if it may. docs/reference/policies/intra-queue.md §5.1. */
export function whyClosed(round: InQueueRound, queue: number): SkippedQueue | null {
  const { queues } = round.snapshot;
  const path = queues.paths[queue]!;
  if (round.properties.isDisabled(queue)) {
    return {
      code: 'queue-disabled',
      message: `${path}: in-queue preemption is switched off for this queue or above it.`,
      about: ofQueue(path),
    };
  }
  for (let q = queue; q >= 0; q = queues.parent[q]!) {
    if (queues.enforcing[q] === 0) continue;
    const where = q === queue ? 'this queue' : `${queues.paths[q]}, above it`;
    return {
      code: 'enforcement-running',
      message: `${path}: an enforcement of ${where} runs; the queue is planned again after it.`,
      about: ofQueue(path),
    };
  }
  return null;
}

/** Whether a queue that may be planned needs no check; null if it does. */
export function whyIdle(round: InQueueRound, leaf: LeafQueue, texts: AmountTexts): SkippedQueue | null {
  const { arithmetic, step, settings } = round;
  const { path, applications } = leaf;
  const { width } = arithmetic;
  if (applications.length === 1) {
    return {
      code: 'one-application',
      message: `${path}: ${round.snapshot.applications.ids[applications[0]!]} is its only application: no other waits.`,
      about: ofQueue(path),
    };
  }
  if (!applications.some((application) => arithmetic.isAboveZero(round.pending, application * width))) {
    return {
      code: 'nothing-pending',
      message: `${path}: none of its ${applications.length} applications waits for anything.`,
      about: ofQueue(path),
    };
  }
  const base = arithmetic.max(leaf.guaranteed, step);
  const ratio = ratioOf(arithmetic, leaf.used, base);
  if (ratio && compareFractions(ratio, round.minimumThreshold) < 0) {
    return {
      code: 'below-threshold',
      message: `${path}: it uses ${texts.list(arithmetic.names, leaf.used)} of ${texts.list(arithmetic.names, base)} guaranteed, less than the share of ${settings.minimumThreshold} from which it is planned.`,
      about: ofQueue(path),
    };
  }
  return null;
}

/** The largest share of `a` by the largest share of `b`; undefined if that is 0. docs/reference/policies/intra-queue.md §3 */
export function ratioOf(arithmetic: Arithmetic, a: TypeAmounts, b: TypeAmounts): Fraction | undefined {
  const over = arithmetic.largestShare(a);
  const under = arithmetic.largestShare(b);
  if (under.numerator === 0) return undefined;
  return {
    numerator: BigInt(over.numerator) * BigInt(under.denominator),
    denominator: BigInt(over.denominator) * BigInt(under.numerator),
  };
}

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
  round: InQueueRound,
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
