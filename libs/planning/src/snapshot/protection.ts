import type { ReadProtect } from '#contracts';
import type { Snapshot } from './columns.js';

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
