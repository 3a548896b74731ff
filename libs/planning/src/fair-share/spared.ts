import type { FairShareSpared, ReadProtect } from '#contracts';
import type { Draft } from './draft.js';
import { AGGRESSIVE, PLAIN, SAFE } from './groups.js';
import type { Judged } from './judge.js';
import type { FairShareSnapshot } from './snapshot/columns.js';

/** The reasons that keep an allocation from being taken in any case, in the order of §10; 0 = nothing. */
export const NOT_RUNNING = 1;
export const SPARED_AS_DAEMON = 2;
export const PROTECTED = 3;
export const ENFORCING = 4;
export const GRACEFUL = 5;

/** By allocation: what keeps it, from NOT_RUNNING to GRACEFUL, or 0. docs/reference/policies/fair-share.md §10 */
export function keptAlways({ snapshot, settings }: Judged): Uint8Array {
  const { allocations, operations, pools, elements } = snapshot;
  const isProtected = protection(snapshot, settings.protect);
  const enforcing = pools.enforcing.slice();
  for (let pool = 1; pool < pools.count; pool++) {
    if (enforcing[elements.parent[pool]!] === 1) enforcing[pool] = 1;
  }
  const kept = new Uint8Array(allocations.count);
  for (let a = 0; a < allocations.count; a++) {
    const operation = allocations.operation[a]!;
    if (allocations.running[a] === 0) kept[a] = NOT_RUNNING;
    else if (allocations.daemon[a] === 1) kept[a] = SPARED_AS_DAEMON;
    else if (allocations.protected[a] !== 0 || isProtected?.(a)) kept[a] = PROTECTED;
    else if (enforcing[elements.parent[pools.count + operation]!] === 1) kept[a] = ENFORCING;
    else if (operations.graceful[operation] === 1) kept[a] = GRACEFUL;
  }
  return kept;
}

/** null where the setting protects nothing. Names that the snapshot does not have protect nothing. */
function protection(
  { allocations, operations, pools, elements }: FairShareSnapshot,
  protect: ReadProtect,
): ((allocation: number) => boolean) | null {
  const { queues, applications, users, priorityAtLeast } = protect;
  const names = queues.length + applications.length + users.length + protect.allocations.length;
  if (names === 0 && priorityAtLeast === null) return null;
  const pool = new Uint8Array(pools.count);
  for (const path of queues) {
    const number = pools.number.get(path);
    if (number !== undefined) pool[number] = 1;
  }
  for (let p = 1; p < pools.count; p++) if (pool[elements.parent[p]!] === 1) pool[p] = 1;
  const ids = new Set(applications);
  const known = new Set(users);
  const operation = Uint8Array.from(operations.ids, (id, o) => {
    const user = operations.users[o];
    const named = ids.has(id) || (user !== undefined && known.has(user));
    return named || pool[elements.parent[pools.count + o]!] === 1 ? 1 : 0;
  });
  const single = new Set(protect.allocations);
  const least = priorityAtLeast ?? Number.POSITIVE_INFINITY;
  return (a) =>
    operation[allocations.operation[a]!] === 1 ||
    allocations.priority[a]! >= least ||
    single.has(allocations.ids[a]!);
}

const ALWAYS: readonly FairShareSpared[] = [
  'not-needed',
  'not-running',
  'daemon',
  'protected',
  'enforcing',
  'graceful-operation',
];

/**
 * Why an allocation may not be taken, 'not-needed' where it may.
 *
 * @param served the operation that is to be served, -1 for none in particular.
 * @param aggressive whether the aggressive stage asks (step 6).
 */
export function sparedBecause(
  draft: Draft,
  kept: Uint8Array,
  allocation: number,
  served: number,
  aggressive: boolean,
): FairShareSpared {
  const { snapshot, settings, effective } = draft.judged;
  const operation = snapshot.allocations.operation[allocation]!;
  const always = kept[allocation]!;
  if (always > 0 && always < GRACEFUL) return ALWAYS[always]!;
  if (operation === served) return 'own-operation';
  if (always === GRACEFUL) return ALWAYS[GRACEFUL]!;
  if (draft.starvedAtFirst(operation) && !settings.allowPreemptionFromStarvingOperations) {
    return 'starving-operation';
  }
  const group = draft.groups.of(allocation);
  if (group === SAFE) return 'non-preemptible';
  const element = snapshot.pools.count + operation;
  if (group === AGGRESSIVE && !aggressive) return 'aggressive-only';
  if (group === AGGRESSIVE && effective.allowAggressive[element] === 0) return 'aggressive-not-allowed';
  if (group === PLAIN && !aggressive && effective.allowNormal[element] === 0) return 'normal-not-allowed';
  return 'not-needed';
}
