import { InputError } from '@curtail/contracts';
import type { QueueSnapshot } from '../snapshot/by-queue.js';
import type { Arithmetic } from './arithmetic.js';

/**
 * All that every application waits for, by application and planned type.
 *
 * @param used what it uses, in the same cells: both together stay below 2^53.
 * @throws InputError where they do not.
 */
export function sumPending(
  { applications }: QueueSnapshot,
  arithmetic: Arithmetic,
  used: Float64Array,
): Float64Array {
  const { first, count, firstEntry, entryType, entryAmount } = applications.pending;
  const width = arithmetic.names.length;
  const pending = new Float64Array(applications.count * width);
  for (let a = 0; a < applications.count; a++) {
    for (let r = first[a]!; r < first[a + 1]!; r++) {
      for (let e = firstEntry[r]!; e < firstEntry[r + 1]!; e++) {
        const place = arithmetic.placeOfType[entryType[e]!]!;
        if (place < 0) continue;
        const cell = a * width + place;
        pending[cell]! += entryAmount[e]! * count[r]!;
        // Nothing is ever subtracted, so a sum that was rounded stays beyond the limit.
        if (pending[cell]! + used[cell]! > Number.MAX_SAFE_INTEGER) {
          throw new InputError(
            `applications[${a}].pending[${r - first[a]!}]`,
            `with it the application uses and asks for more ${arithmetic.names[place]} than ${Number.MAX_SAFE_INTEGER} (2^53 - 1); it must stay below`,
          );
        }
      }
    }
  }
  return pending;
}
