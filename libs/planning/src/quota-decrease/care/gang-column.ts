import { InputError, shown } from '@curtail/contracts';
import { isAbsent, objectAt } from '../../fields.js';
import type { Snapshot } from '../../snapshot/columns.js';

/** `minMembers` by application, 0 = no gang; null where there is none at all. */
export function readGangs({ applications }: Snapshot): Float64Array | null {
  let column: Float64Array | null = null;
  for (let app = 0; app < applications.gangs.length; app++) {
    const given = applications.gangs[app];
    if (isAbsent(given)) continue;
    column ??= new Float64Array(applications.count);
    column[app] = minMembersAt(given, `applications[${app}].gang`);
  }
  return column;
}

function minMembersAt(given: unknown, path: string): number {
  const { minMembers } = objectAt(given, path);
  if (typeof minMembers === 'number' && minMembers >= 1 && Number.isSafeInteger(minMembers))
    return minMembers;
  throw new InputError(`${path}.minMembers`, `must be a whole number from 1, found ${shown(minMembers)}`);
}
