import { fieldPath, propertyOf, type QueueProtection, type ReadProtect, readQueueSetting } from '#contracts';
import { type Fields, isAbsent } from '../fields.js';
import type { AllocationsRead } from './allocations-read.js';
import { BY_QUEUE, type Snapshot } from './columns.js';
import type { QueuesRead } from './queues.js';

/** The setting `protect` in the numbers of a snapshot. */
export interface Protection {
  readonly queue: Uint8Array;
  readonly application: Uint8Array;
  readonly allocations: ReadonlySet<string>;
  readonly priorityAtLeast: number;
}

/** null where the setting protects nothing. Names that the snapshot does not have protect nothing. */
export function protectionOf(snapshot: Snapshot, protect: ReadProtect): Protection | null {
  const { queues, applications, users, allocations, priorityAtLeast } = protect;
  const entries = queues.length + applications.length + users.length + allocations.length;
  if (entries === 0 && priorityAtLeast === null) return null;

  const queue = new Uint8Array(snapshot.queues.count);
  for (const path of queues) {
    const number = snapshot.queues.number.get(path);
    if (number !== undefined) queue.fill(1, number, snapshot.queues.end[number]);
  }
  const ids = new Set(applications);
  const names = new Set(users);
  const application = Uint8Array.from(snapshot.applications.ids, (id, i) => {
    const user = snapshot.applications.users[i];
    return ids.has(id) || (user !== undefined && names.has(user)) ? 1 : 0;
  });
  return {
    queue,
    application,
    allocations: new Set(allocations),
    priorityAtLeast: priorityAtLeast ?? Number.POSITIVE_INFINITY,
  };
}

/** By its own mark, by a queue of its chain, or by the setting. */
export function isProtected(snapshot: Snapshot, protection: Protection | null, allocation: number): boolean {
  const { queue, application, priority, ids } = snapshot.allocations;
  if (snapshot.allocations.protected[allocation] !== 0) return true;
  if (protection === null) return false;
  return (
    protection.queue[queue[allocation]!] === 1 ||
    protection.application[application[allocation]!] === 1 ||
    priority[allocation]! >= protection.priorityAtLeast ||
    protection.allocations.has(ids[allocation]!)
  );
}

type Protects = (allocation: number) => boolean;

interface ApplicationNames {
  readonly ids: readonly string[];
  readonly users: readonly (string | undefined)[];
}

const property = propertyOf('protect');

/**
 * Marks the allocations that a queue of their chain protects, by its property `curtail.protect`. The protections of a chain add up.
 * docs/reference/configuration.md, "Settings of a queue"
 *
 * @throws InputError with `queues[i].properties."curtail.protect"` as the path.
 */
export function protectByQueue(
  queues: Pick<QueuesRead, 'parent' | 'properties' | 'inputPlace'>,
  applications: ApplicationNames,
  allocations: AllocationsRead,
): void {
  const protects: (readonly Protects[] | undefined)[] = [];
  // Parents come before their children.
  for (const [q, given] of queues.properties.entries()) {
    const above = protects[queues.parent[q]!];
    const value = isAbsent(given) ? undefined : (given as Fields)[property];
    if (isAbsent(value)) {
      if (above) protects[q] = above;
      continue;
    }
    const path = fieldPath(`queues[${queues.inputPlace[q]}].properties`, property);
    const own = protectsOf(readQueueSetting('protect', value, path), applications, allocations);
    if (own || above) protects[q] = [...(own ? [own] : []), ...(above ?? [])];
  }
  if (protects.length === 0) return;
  for (let a = 0; a < allocations.count; a++) {
    if (allocations.protected[a] !== 0) continue;
    if (protects[allocations.queue[a]!]?.some((isProtected) => isProtected(a)))
      allocations.protected[a] = BY_QUEUE;
  }
}

/** undefined: nothing. */
function protectsOf(
  protection: QueueProtection,
  applications: ApplicationNames,
  { ids, application, priority }: AllocationsRead,
): Protects | undefined {
  if (typeof protection === 'boolean') return protection ? () => true : undefined;
  const named = new Set(protection.applications);
  const users = new Set(protection.users);
  const single = new Set(protection.allocations);
  const least = protection.priorityAtLeast ?? Number.POSITIVE_INFINITY;
  return (a) => {
    const of = application[a]!;
    const user = applications.users[of];
    return (
      priority[a]! >= least ||
      single.has(ids[a]!) ||
      named.has(applications.ids[of]!) ||
      (user !== undefined && users.has(user))
    );
  };
}
