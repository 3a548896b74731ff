import type { OwnerBudget } from '#contracts';
import { keptBySnapshot } from '../../kept-by-snapshot.js';
import type { QueueSnapshot } from '../../snapshot/by-queue.js';
import { careColumnsOf, type RecentVictims } from './columns.js';

interface Entry {
  readonly budget: OwnerBudget;
  readonly most: number;
  /** The number of the owner, by allocation. */
  readonly owner: Int32Array;
  readonly names: readonly string[];
  /** By owner: the recent victims in the window and the victims of this plan. */
  readonly victims: Int32Array;
}

/** How many victims each owner has: docs/reference/policies/victim-care.md §6. */
export class OwnerCounts {
  private readonly entries: readonly Entry[];
  /** How many owners of all entries may have no further victim. */
  private full = 0;

  constructor(snapshot: QueueSnapshot, budgets: readonly OwnerBudget[], recent: RecentVictims | null) {
    this.entries = budgets.map((budget) => entryOf(snapshot, budget, recent));
    for (const { victims, most } of this.entries) {
      for (let owner = 0; owner < victims.length; owner++) if (victims[owner]! >= most) this.full++;
    }
  }

  get isAnyFull(): boolean {
    return this.full > 0;
  }

  get entryCount(): number {
    return this.entries.length;
  }

  /** @param more allocations that would go, all of one user, application and leaf; `one` of them. */
  refuses(one: number, more: number): boolean {
    for (let i = 0; i < this.entries.length; i++) {
      const entry = this.entries[i]!;
      if (entry.victims[entry.owner[one]!]! + more > entry.most) return true;
    }
    return false;
  }

  /** The number of the owner of an allocation in an entry where it refuses, -1 where it does not. */
  ownerRefusing(entry: number, one: number, more: number): number {
    const { owner, victims, most } = this.entries[entry]!;
    const number = owner[one]!;
    return victims[number]! + more > most ? number : -1;
  }

  /** How many owners an entry knows. */
  ownersIn(entry: number): number {
    return this.entries[entry]!.names.length;
  }

  victimsOf(entry: number, owner: number): number {
    return this.entries[entry]!.victims[owner]!;
  }

  /** How many victims an owner may have, and has. @param has absent: now. */
  refusalOf(entry: number, owner: number, has = this.victimsOf(entry, owner)): OwnerRefusal {
    const { budget, names } = this.entries[entry]!;
    return { entry, owner, name: names[owner]!, has, budget };
  }

  /** All entries that refuse. */
  refusing(one: number, more: number): OwnerRefusal[] {
    return this.entries.flatMap((_, entry) => {
      const owner = this.ownerRefusing(entry, one, more);
      return owner < 0 ? [] : [this.refusalOf(entry, owner)];
    });
  }

  /** @param sign 1 for a victim, -1 for one that is given back. */
  count(allocation: number, sign: 1 | -1): void {
    for (let i = 0; i < this.entries.length; i++) {
      const { owner, victims, most } = this.entries[i]!;
      const number = owner[allocation]!;
      const before = victims[number]!;
      const after = before + sign;
      victims[number] = after;
      if (before >= most !== after >= most) this.full += sign;
    }
  }
}

export interface OwnerRefusal {
  /** Place in the setting `ownerBudgets`. */
  readonly entry: number;
  readonly owner: number;
  /** '' = the user without a name. */
  readonly name: string;
  /** Victims that it has in the window. */
  readonly has: number;
  readonly budget: OwnerBudget;
}

function entryOf(snapshot: QueueSnapshot, budget: OwnerBudget, recent: RecentVictims | null): Entry {
  const { names, of, ofRecent } = ownersOf(snapshot, budget.per);
  const victims = new Int32Array(names.length);
  const since = snapshot.takenAt - budget.seconds * 1000;
  for (let i = 0; i < ofRecent.length; i++) {
    if (recent!.at[i]! > since && ofRecent[i]! >= 0) victims[ofRecent[i]!]!++;
  }
  return { budget, most: budget.victims, owner: of, names, victims };
}

/** The owners in one sense of the word, numbered: docs/reference/policies/victim-care.md 6.1. */
export interface OwnersOfWork {
  /** '' = the user without a name. */
  readonly names: readonly string[];
  /** By allocation. */
  readonly of: Int32Array;
  /** By recent victim; -1 = one that owns nothing in the snapshot. */
  readonly ofRecent: Int32Array;
}

const kept = keptBySnapshot((_: QueueSnapshot) => new Map<OwnerBudget['per'], OwnersOfWork>());

/** Made once for a snapshot. */
function ownersOf(snapshot: QueueSnapshot, per: OwnerBudget['per']): OwnersOfWork {
  const known = kept(snapshot);
  let owners = known.get(per);
  if (owners === undefined) {
    owners = makeOwners(snapshot, per);
    known.set(per, owners);
  }
  return owners;
}

function makeOwners(snapshot: QueueSnapshot, per: OwnerBudget['per']): OwnersOfWork {
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
