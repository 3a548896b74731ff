import { compareFractions, type Notice, ofQueue } from '#contracts';
import type { AmountTexts } from '../writing/amount-text.js';
import type { LeafQueue } from './leaf-queue.js';
import { ratioOf } from './ratio.js';
import type { Round } from './round.js';

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
export function whyClosed(round: Round, queue: number): SkippedQueue | null {
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
export function whyIdle(round: Round, leaf: LeafQueue, texts: AmountTexts): SkippedQueue | null {
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
