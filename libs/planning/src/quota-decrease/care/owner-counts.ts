import type { OwnerBudget } from '#contracts';
import type { QueueSnapshot } from '../../snapshot/by-queue.js';
import { ownersOf } from './owners.js';
import type { RecentVictims } from './recent-victims.js';

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
