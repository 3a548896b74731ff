import type { ReadProtect } from '#contracts';
import type { QueueSnapshot } from '../snapshot/by-queue.js';
import { BY_MARK, DAEMON, PLACEHOLDER, RUNNING, type Snapshot } from '../snapshot/columns.js';
import { isProtected, type Protection, protectionOf } from '../snapshot/protection.js';
import type { Target } from './target.js';

/** The candidates of the leaves that take part, grouped by leaf: docs/reference/policies/quota-decrease.md §5. */
export interface Candidates {
  /** Those of leaf q are `list[i]` for i from `first[q]` below `last[q]`. */
  readonly list: Int32Array;
  readonly first: Int32Array;
  readonly last: Int32Array;
  readonly count: number;
  /** All together, per type of the target. */
  readonly give: Float64Array;
  /** The amounts that the candidates of each leaf give, by queue and place in the target. */
  readonly giveOf: Float64Array;
  /** How many more there would be if none were protected, and how many of those are by their own mark. */
  readonly keptOut: number;
  readonly marked: number;
  /** Those that only the minimum run time keeps out: docs/reference/policies/victim-care.md §2. */
  readonly young: readonly number[];
  /** Those that the trigger leaves out, because their evictions failed. */
  readonly avoided: readonly number[];
}

/** Why an allocation of a leaf is no candidate, in the order in which the reasons are given. */
export type NoCandidate = 'daemon' | 'not-running' | 'other-types' | 'protected';

/** By queue, the moment of which younger allocations are too young; null = nothing is. */
export type YoungAfter = Float64Array | null;

export function findCandidates(
  snapshot: QueueSnapshot,
  queue: number,
  takesPart: Uint8Array,
  target: Target,
  protect: ReadProtect,
  youngAfter: YoungAfter,
  avoid: ReadonlySet<string> | null = null,
): Candidates {
  const { queues, allocations } = snapshot;
  const end = queues.end[queue]!;
  const protection = protectionOf(snapshot, protect);
  const list = new Int32Array(queues.firstAllocation[end]! - queues.firstAllocation[queue]!);
  const first = new Int32Array(queues.count);
  const last = new Int32Array(queues.count);
  const { gives, count: width } = target;
  const giveOf = new Float64Array(queues.count * width);
  let count = 0;
  let keptOut = 0;
  let marked = 0;
  const young: number[] = [];
  const avoided: number[] = [];
  for (let q = queue; q < end; q++) {
    first[q] = count;
    for (let a = queues.firstAllocation[q]!; takesPart[q] === 1 && a < queues.firstAllocation[q + 1]!; a++) {
      if (whyOutOfQuestion(snapshot, target, a) !== null) continue;
      if (isProtected(snapshot, protection, a)) {
        keptOut++;
        if (allocations.protected[a] === BY_MARK) marked++;
        continue;
      }
      if (youngAfter !== null && isTooYoung(snapshot, youngAfter, a)) {
        young.push(a);
        continue;
      }
      if (avoid?.has(allocations.ids[a]!)) {
        avoided.push(a);
        continue;
      }
      list[count++] = a;
      const of = allocations.size[a]! * width;
      for (let place = 0; place < width; place++) giveOf[q * width + place]! += gives[of + place]!;
    }
    last[q] = count;
  }
  const give = new Float64Array(width);
  for (let cell = queue * width; cell < end * width; cell++) give[cell % width]! += giveOf[cell]!;
  return { list: list.subarray(0, count), first, last, count, give, giveOf, keptOut, marked, young, avoided };
}

/** The first reason that applies; null for a candidate. Types are checked only where there is a target. */
export function whyNoCandidate(
  snapshot: Snapshot,
  target: Target,
  protection: Protection | null,
  allocation: number,
): NoCandidate | null {
  const reason = whyOutOfQuestion(snapshot, target, allocation);
  return reason ?? (isProtected(snapshot, protection, allocation) ? 'protected' : null);
}

function whyOutOfQuestion(
  snapshot: Snapshot,
  target: Target,
  allocation: number,
): Exclude<NoCandidate, 'protected'> | null {
  const { role, state } = snapshot.allocations;
  if (role[allocation] === DAEMON) return 'daemon';
  if (state[allocation] !== RUNNING) return 'not-running';
  if (target.count > 0 && !usesTarget(snapshot, target, allocation)) return 'other-types';
  return null;
}

/** Placeholders do no work, and have no minimum. */
export function isTooYoung({ allocations }: Snapshot, youngAfter: Float64Array, allocation: number): boolean {
  const { startedAt, queue, role } = allocations;
  return startedAt[allocation]! > youngAfter[queue[allocation]!]! && role[allocation] !== PLACEHOLDER;
}

export function usesTarget({ allocations }: Snapshot, { gives, count }: Target, allocation: number): boolean {
  const of = allocations.size[allocation]! * count;
  for (let place = 0; place < count; place++) if (gives[of + place]! > 0) return true;
  return false;
}
