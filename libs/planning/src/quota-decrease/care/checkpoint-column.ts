import { InputError } from '@curtail/contracts';
import { isAbsent } from '../../fields.js';
import { notInstant } from '../../snapshot/applications.js';
import type { Snapshot } from '../../snapshot/columns.js';
import { parseInstant } from '../../snapshot/instant.js';

/** By allocation in milliseconds since 1970, -Infinity = none; null where there is none at all. */
export function readCheckpoints({ allocations }: Snapshot): Float64Array | null {
  let column: Float64Array | null = null;
  for (let a = 0; a < allocations.checkpointedAt.length; a++) {
    const given = allocations.checkpointedAt[a];
    if (isAbsent(given)) continue;
    column ??= new Float64Array(allocations.count).fill(Number.NEGATIVE_INFINITY);
    column[a] = instantAt(given, `allocations[${a}].checkpointedAt`);
  }
  return column;
}

/** @throws InputError for what is no RFC 3339 time. */
export function instantAt(value: unknown, path: string): number {
  const instant = typeof value === 'string' ? parseInstant(value) : Number.NaN;
  if (Number.isNaN(instant)) throw new InputError(path, notInstant(value));
  return instant;
}
