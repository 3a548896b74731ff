import { InputError } from '#contracts';
import { inInputOrder } from '../snapshot/renumbered.js';
import type { Arithmetic } from './arithmetic.js';
import type { InQueueSnapshot } from './in-queue-snapshot.js';

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
