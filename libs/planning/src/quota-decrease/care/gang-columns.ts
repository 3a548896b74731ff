import { InputError, shown } from '#contracts';
import { isAbsent, objectAt } from '../../fields.js';
import { type Grouped, groupsOf, numbersTo } from '../../groups-of.js';
import { ORIGINATOR, RUNNING, type Snapshot, TASK } from '../../snapshot/columns.js';

/** The gangs among the applications: docs/reference/policies/victim-care.md §7. */
export interface GangColumns {
  /** By application, 0 = no gang. */
  readonly minMembers: Float64Array;
  /** By application: what runs of a gang with role task or originator, in the whole snapshot. */
  readonly members: Grouped;
}

/** Null where no application is a gang. */
export function readGangs({ applications, allocations }: Snapshot): GangColumns | null {
  let minMembers: Float64Array | null = null;
  for (let app = 0; app < applications.gangs.length; app++) {
    const given = applications.gangs[app];
    if (isAbsent(given)) continue;
    minMembers ??= new Float64Array(applications.count);
    minMembers[app] = minMembersAt(given, `applications[${app}].gang`);
  }
  if (minMembers === null) return null;
  const { count, application, state, role } = allocations;
  const gangOf = new Int32Array(count).fill(-1);
  for (let a = 0; a < count; a++) {
    if (minMembers[application[a]!] === 0 || state[a] !== RUNNING) continue;
    if (role[a] === TASK || role[a] === ORIGINATOR) gangOf[a] = application[a]!;
  }
  return { minMembers, members: groupsOf(numbersTo(count), gangOf, applications.count) };
}

function minMembersAt(given: unknown, path: string): number {
  const { minMembers } = objectAt(given, path);
  if (typeof minMembers === 'number' && minMembers >= 1 && Number.isSafeInteger(minMembers))
    return minMembers;
  throw new InputError(`${path}.minMembers`, `must be a whole number from 1, found ${shown(minMembers)}`);
}
