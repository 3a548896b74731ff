import type { OwnerBudget } from '#contracts';
import { keptBySnapshot } from '../../kept-by-snapshot.js';
import type { QueueSnapshot } from '../../snapshot/by-queue.js';
import { careColumnsOf } from './columns.js';

/** The owners in one sense of the word, numbered: docs/reference/policies/victim-care.md 6.1. */
export interface Owners {
  /** '' = the user without a name. */
  readonly names: readonly string[];
  /** By allocation. */
  readonly of: Int32Array;
  /** By recent victim; -1 = one that owns nothing in the snapshot. */
  readonly ofRecent: Int32Array;
}

const kept = keptBySnapshot((_: QueueSnapshot) => new Map<OwnerBudget['per'], Owners>());

/** Made once for a snapshot. */
export function ownersOf(snapshot: QueueSnapshot, per: OwnerBudget['per']): Owners {
  const known = kept(snapshot);
  let owners = known.get(per);
  if (owners === undefined) {
    owners = makeOwners(snapshot, per);
    known.set(per, owners);
  }
  return owners;
}

function makeOwners(snapshot: QueueSnapshot, per: OwnerBudget['per']): Owners {
  const { queues, applications, allocations } = snapshot;
  const recent = careColumnsOf(snapshot).recentVictims?.[per] ?? [];
  const numbers = new Map<string, number>();
  const numberOf = (name: string): number => {
    const known = numbers.get(name);
    if (known !== undefined) return known;
    numbers.set(name, numbers.size);
    return numbers.size - 1;
  };
  let of: Int32Array;
  if (per === 'user') {
    const ofApplication = Int32Array.from(applications.users, (user) => numberOf(user ?? ''));
    of = new Int32Array(allocations.count);
    for (let a = 0; a < of.length; a++) of[a] = ofApplication[allocations.application[a]!]!;
  } else {
    for (const name of per === 'queue' ? queues.paths : applications.ids) numberOf(name);
    of = per === 'queue' ? allocations.queue : allocations.application;
  }
  return {
    names: [...numbers.keys()],
    of,
    ofRecent: Int32Array.from(recent, (name) => numbers.get(name) ?? -1),
  };
}
