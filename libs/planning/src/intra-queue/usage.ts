import { counted, InputError, type ReadIntraQueueSettings } from '#contracts';
import { DAEMON, ORIGINATOR, RUNNING } from '../snapshot/columns.js';
import { isProtected, protectionOf } from '../snapshot/protection.js';
import { inInputOrder } from '../snapshot/renumbered.js';
import type { Arithmetic } from './arithmetic.js';
import type { InQueueSnapshot } from './in-queue-snapshot.js';

/** Why an allocation is fixed, which is never taken; the first that applies. */
export const NOT_FIXED: number = 0;
export const FIXED_ORIGINATOR = 1;
export const FIXED_DAEMON = 2;
export const FIXED_PROTECTED = 3;
export const FIXED_COOLING = 4;

/** Tables of applications by planned type: cells more than this would be gigabytes. */
const MOST_CELLS = 20_000_000;

/** Sums that are made once a round. A table has a row an application and a column a planned type. */
export interface UsageTables {
  readonly used: Float64Array;
  /** The parts of it that are never taken, all other, and that are leaving: docs/reference/policies/intra-queue.md §1. */
  readonly fixed: Float64Array;
  readonly own: Float64Array;
  readonly inFlight: Float64Array;
  /** By allocation. */
  readonly fixedAs: Uint8Array;
  /** Until when an application is cooling, milliseconds since 1970; 0 = it is not. */
  readonly coolingUntil: Float64Array;
}

/** @throws InputError for an allocation outside the queue of its application, and for more cells than are held. */
export function sumUserUsage(
  snapshot: InQueueSnapshot,
  arithmetic: Arithmetic,
  settings: ReadIntraQueueSettings,
): UsageTables {
  const { allocations, applications } = snapshot;
  const width = arithmetic.names.length;
  if (applications.count * width > MOST_CELLS) {
    throw new InputError(
      'applications',
      `${counted(applications.count, 'application')} with ${counted(width, 'resource type')} are too many; their product may be ${MOST_CELLS}`,
    );
  }
  const used = new Float64Array(applications.count * width);
  const fixed = new Float64Array(applications.count * width);
  const inFlight = new Float64Array(applications.count * width);
  const coolingUntil = coolingTimes(snapshot, settings.cooldown);
  const protection = protectionOf(snapshot, settings.protect);
  const fixedAs = new Uint8Array(allocations.count);
  const { placeOfType } = arithmetic;
  const { count, application, queue, role, state, size, firstEntry, entryType, entryAmount } = allocations;
  for (let a = 0; a < count; a++) {
    const owner = application[a]!;
    if (queue[a] !== applications.queue[owner]) throw otherQueue(snapshot);
    let why = NOT_FIXED;
    if (role[a] === ORIGINATOR) why = FIXED_ORIGINATOR;
    else if (role[a] === DAEMON) why = FIXED_DAEMON;
    else if (isProtected(snapshot, protection, a)) why = FIXED_PROTECTED;
    else if (coolingUntil[owner] !== 0) why = FIXED_COOLING;
    fixedAs[a] = why;
    const leaving = state[a] !== RUNNING;
    for (let e = firstEntry[size[a]!]!, end = firstEntry[size[a]! + 1]!; e < end; e++) {
      const place = placeOfType[entryType[e]!]!;
      if (place < 0) continue;
      const cell = owner * width + place;
      const amount = entryAmount[e]!;
      used[cell]! += amount;
      if (why !== NOT_FIXED) fixed[cell]! += amount;
      if (leaving) inFlight[cell]! += amount;
    }
  }
  const own = used.slice();
  for (let cell = 0; cell < own.length; cell++) own[cell]! -= fixed[cell]!;
  return { used, fixed, own, inFlight, fixedAs, coolingUntil };
}

function coolingTimes({ takenAt, lastPreemptedAt }: InQueueSnapshot, cooldownMs: number): Float64Array {
  const until = new Float64Array(lastPreemptedAt.length);
  if (cooldownMs === 0) return until;
  for (let a = 0; a < until.length; a++) {
    if (Number.isNaN(lastPreemptedAt[a])) continue;
    if (Number.isNaN(takenAt)) {
      throw new InputError('takenAt', 'must be there where the setting cooldown is above 0, found nothing');
    }
    if (takenAt - lastPreemptedAt[a]! < cooldownMs) until[a] = lastPreemptedAt[a]! + cooldownMs;
  }
  return until;
}

/** Of the first in the input that is not in the queue of its application. */
function otherQueue({ allocations, applications, queues }: InQueueSnapshot): InputError {
  const { count, application, queue, inputPlace } = allocations;
  let first = -1;
  for (let a = 0; a < count; a++) {
    if (queue[a] === applications.queue[application[a]!]) continue;
    if (first < 0 || inputPlace[a]! < inputPlace[first]!) first = a;
  }
  const owner = application[first]!;
  return new InputError(
    `allocations[${inputPlace[first]}].queue`,
    `must be ${queues.paths[applications.queue[owner]!]}, the queue of its application ${applications.ids[owner]}, found ${queues.paths[queue[first]!]}`,
  );
}

/**
 * All that every application waits for, by application and planned type.
 *
 * @param used what it uses, in the same cells: both together stay below 2^53.
 * @throws InputError where they do not.
 */
export function sumPending(
  { applications, applicationPlace }: InQueueSnapshot,
  arithmetic: Arithmetic,
  used: Float64Array,
): Float64Array {
  const { first, count, firstEntry, entryType, entryAmount } = applications.pending;
  const width = arithmetic.names.length;
  const pending = new Float64Array(applications.count * width);
  // In the order of the input, so that the first of several errors is reported.
  const numberOf = inInputOrder(applicationPlace);
  for (let input = 0; input < applications.count; input++) {
    const row = numberOf[input]! * width;
    for (let r = first[input]!; r < first[input + 1]!; r++) {
      for (let e = firstEntry[r]!; e < firstEntry[r + 1]!; e++) {
        const place = arithmetic.placeOfType[entryType[e]!]!;
        if (place < 0) continue;
        const cell = row + place;
        pending[cell]! += entryAmount[e]! * count[r]!;
        // Nothing is ever subtracted, so a sum that was rounded stays beyond the limit.
        if (pending[cell]! + used[cell]! > Number.MAX_SAFE_INTEGER) {
          throw new InputError(
            `applications[${input}].pending[${r - first[input]!}]`,
            `with it the application uses and asks for more ${arithmetic.names[place]} than ${Number.MAX_SAFE_INTEGER} (2^53 - 1); it must stay below`,
          );
        }
      }
    }
  }
  return pending;
}
