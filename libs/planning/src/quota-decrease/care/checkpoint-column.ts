import { InputError } from '#contracts';
import { isAbsent } from '../../fields.js';
import { notInstant } from '../../snapshot/applications.js';
import type { QueueSnapshot } from '../../snapshot/by-queue.js';
import { parseInstant } from '../../snapshot/instant.js';
import { inInputOrder } from '../../snapshot/renumbered.js';

/** By allocation in milliseconds since 1970, -Infinity = none; null where there is none at all. */
export function readCheckpoints({ allocations }: QueueSnapshot): Float64Array | null {
  const { count, checkpointedAt, inputPlace } = allocations;
  if (checkpointedAt.length === 0) return null;
  let column: Float64Array | null = null;
  for (const a of inInputOrder(inputPlace)) {
    const given = checkpointedAt[a];
    if (isAbsent(given)) continue;
    column ??= new Float64Array(count).fill(Number.NEGATIVE_INFINITY);
    column[a] = instantAt(given, `allocations[${inputPlace[a]}].checkpointedAt`);
  }
  return column;
}

/** @throws InputError for what is no RFC 3339 time. */
export function instantAt(value: unknown, path: string): number {
  const instant = typeof value === 'string' ? parseInstant(value) : Number.NaN;
  if (Number.isNaN(instant)) throw new InputError(path, notInstant(value));
  return instant;
}
