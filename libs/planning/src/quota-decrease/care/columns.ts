import { InputError, shown } from '#contracts';
import { arrayAt, isAbsent, nameAt, objectAt } from '../../fields.js';
import { type Grouped, groupsOf, numbersTo } from '../../groups-of.js';
import { keptBySnapshot } from '../../kept-by-snapshot.js';
import { notInstant } from '../../snapshot/applications.js';
import type { QueueSnapshot } from '../../snapshot/by-queue.js';
import { ORIGINATOR, RUNNING, type Snapshot, TASK } from '../../snapshot/columns.js';
import { parseInstant } from '../../snapshot/instant.js';
import { inInputOrder } from '../../snapshot/renumbered.js';
import { type BudgetColumns, readBudgets } from './budget-columns.js';
import { type QueueCareColumns, readQueueCare } from './queue-columns.js';

/** By allocation in milliseconds since 1970, -Infinity = none; null where there is none at all. */
function readCheckpoints({ allocations }: QueueSnapshot): Float64Array | null {
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
function instantAt(value: unknown, path: string): number {
  const instant = typeof value === 'string' ? parseInstant(value) : Number.NaN;
  if (Number.isNaN(instant)) throw new InputError(path, notInstant(value));
  return instant;
}

/** Victims of earlier plans, one a place. */
export interface RecentVictims {
  /** '' = the user without a name. */
  readonly user: readonly string[];
  readonly application: readonly string[];
  readonly queue: readonly string[];
  /** Milliseconds since 1970. */
  readonly at: Float64Array;
}

function readRecentVictims({ recentVictims }: Snapshot): RecentVictims | null {
  if (isAbsent(recentVictims)) return null;
  const user: string[] = [];
  const application: string[] = [];
  const queue: string[] = [];
  const at: number[] = [];
  arrayAt(recentVictims, 'recentVictims').forEach((value, i) => {
    const path = `recentVictims[${i}]`;
    const victim = objectAt(value, path);
    const given = victim.user ?? '';
    if (typeof given !== 'string') {
      throw new InputError(`${path}.user`, `must be a string, found ${shown(given)}`);
    }
    user.push(given);
    application.push(nameAt(victim.application, `${path}.application`));
    queue.push(nameAt(victim.queue, `${path}.queue`));
    at.push(instantAt(victim.at, `${path}.at`));
  });
  return at.length === 0 ? null : { user, application, queue, at: Float64Array.from(at) };
}

/** The gangs among the applications: docs/reference/policies/victim-care.md §7. */
export interface GangColumns {
  /** By application, 0 = no gang. */
  readonly minMembers: Float64Array;
  /** By application: what runs of a gang with role task or originator, in the whole snapshot. */
  readonly members: Grouped;
}

/** Null where no application is a gang. */
function readGangs({ applications, allocations }: Snapshot): GangColumns | null {
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

/**
 * The data of a snapshot for victim care, null where it has none of it: docs/reference/policies/victim-care.md §1. Checked once for all plans
 * of the policy, whatever their settings.
 */
export interface CareColumns {
  readonly budgets: BudgetColumns | null;
  readonly recentVictims: RecentVictims | null;
  readonly gangs: GangColumns | null;
  /** Milliseconds since 1970 by allocation; -Infinity = none. */
  readonly checkpointedAt: Float64Array | null;
  readonly queues: QueueCareColumns;
}

/** @throws InputError with the path of the field (docs/reference/policies/victim-care.md §12). */
export const careColumnsOf: (snapshot: QueueSnapshot) => CareColumns = keptBySnapshot((snapshot) => ({
  queues: readQueueCare(snapshot),
  gangs: readGangs(snapshot),
  budgets: readBudgets(snapshot),
  checkpointedAt: readCheckpoints(snapshot),
  recentVictims: readRecentVictims(snapshot),
}));
