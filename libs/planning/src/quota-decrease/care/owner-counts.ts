import type { OwnerBudget } from '@curtail/contracts';
import type { Snapshot } from '../../snapshot/columns.js';
import type { RecentVictims } from './recent-victims.js';

interface Entry {
  readonly budget: OwnerBudget;
  /** The owner of an allocation, as a number: by allocation where the leaf owns it, else by application. */
  readonly owner: Int32Array;
  readonly byAllocation: boolean;
  readonly names: readonly string[];
  /** By owner: the recent victims in the window and the victims of this plan. */
  readonly victims: Float64Array;
}

/** How many victims each owner has: docs/reference/policies/victim-care.md §6. */
export class OwnerCounts {
  private readonly entries: readonly Entry[];

  constructor(
    private readonly snapshot: Snapshot,
    budgets: readonly OwnerBudget[],
    recent: RecentVictims | null,
  ) {
    this.entries = budgets.map((budget) => entryOf(snapshot, budget, recent));
  }

  get entryCount(): number {
    return this.entries.length;
  }

  /** @param more allocations that would go, all of one user, application and leaf; `one` of them. */
  refuses(one: number, more: number): boolean {
    const application = this.snapshot.allocations.application[one]!;
    for (let i = 0; i < this.entries.length; i++) {
      const { owner, byAllocation, victims, budget } = this.entries[i]!;
      if (victims[owner[byAllocation ? one : application]!]! + more > budget.victims) return true;
    }
    return false;
  }

  /** The number of the owner of an allocation in an entry where it refuses, -1 where it does not. */
  ownerRefusing(entry: number, one: number, more: number): number {
    const { owner, byAllocation, victims, budget } = this.entries[entry]!;
    const number = owner[byAllocation ? one : this.snapshot.allocations.application[one]!]!;
    return victims[number]! + more > budget.victims ? number : -1;
  }

  /** What an owner has and may have. */
  refusalOf(entry: number, owner: number): OwnerRefusal {
    const { budget, victims, names } = this.entries[entry]!;
    return { entry, owner, name: names[owner]!, has: victims[owner]!, budget };
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
    const application = this.snapshot.allocations.application[allocation]!;
    for (let i = 0; i < this.entries.length; i++) {
      const { owner, byAllocation, victims } = this.entries[i]!;
      victims[owner[byAllocation ? allocation : application]!]! += sign;
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

function entryOf(
  { takenAt, queues, applications, allocations }: Snapshot,
  budget: OwnerBudget,
  recent: RecentVictims | null,
): Entry {
  const users = budget.per === 'user' ? numbered(applications.users.map((user) => user ?? '')) : null;
  const names = users?.names ?? (budget.per === 'application' ? applications.ids : queues.paths);
  const owner =
    users?.number ??
    (budget.per === 'application' ? Int32Array.from(applications.ids, (_, i) => i) : allocations.queue);
  const victims = new Float64Array(names.length);
  if (recent !== null) {
    const since = takenAt - budget.seconds * 1000;
    const counts = new Map<string, number>();
    recent[budget.per].forEach((name, i) => {
      if (recent.at[i]! > since) counts.set(name, (counts.get(name) ?? 0) + 1);
    });
    names.forEach((name, i) => {
      victims[i] = counts.get(name) ?? 0;
    });
  }
  return { budget, owner, byAllocation: budget.per === 'queue', names, victims };
}

function numbered(given: readonly string[]): { names: string[]; number: Int32Array } {
  const numbers = new Map<string, number>();
  const number = Int32Array.from(given, (name) => {
    const known = numbers.get(name);
    if (known !== undefined) return known;
    numbers.set(name, numbers.size);
    return numbers.size - 1;
  });
  return { names: [...numbers.keys()], number };
}
