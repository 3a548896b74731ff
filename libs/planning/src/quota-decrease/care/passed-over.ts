import type { QueueSnapshot } from '../../snapshot/by-queue.js';
import type { Draft } from '../draft.js';
import type { Unit } from './gangs.js';
import type { OwnerRefusal } from './owner-counts.js';
import { BUDGET, FLOOR, GANG, LIMIT, OWNER, PAST_TARGET, type Test, type Tests } from './tests.js';

/** Why a gang keeps its members: test 1, or a later one of its unit, with the numbers. */
export interface GangRefusal {
  readonly application: number;
  readonly staying: number;
  readonly by:
    | { readonly test: 'spare' }
    | { readonly test: 'stays'; readonly stays: NonNullable<Unit['stays']> }
    | { readonly test: 'floor'; readonly cell: number }
    | { readonly test: 'limit'; readonly limit: LimitRefusal }
    | { readonly test: 'budget'; readonly budgets: readonly BudgetRefusal[] }
    | { readonly test: 'owner'; readonly owners: readonly OwnerRefusal[] }
    | { readonly test: 'past-target' };
}

export interface LimitRefusal {
  readonly queue: number;
  readonly type: number;
  /** The amount of the type that the unit uses, and the amount taken from the queue. */
  readonly amount: number;
  readonly taken: number;
}

export interface BudgetRefusal {
  readonly budget: number;
  readonly allowance: number;
  readonly members: number;
}

/** The first of the candidates that something refused, and how many there are. */
export interface RefusedByCare<Why> {
  readonly why: Why;
  readonly first: number;
  count: number;
}

/** The candidates that each budget refused because nothing of it was left. Arrays, because there may be thousands of budgets. */
export interface RefusedByBudget {
  readonly count: Int32Array;
  /** The first of them; valid where the count is not 0. */
  readonly first: Int32Array;
}

/** The same for the owners of an entry. */
export interface RefusedByOwner extends RefusedByBudget {
  /** How many victims the owner had when the first was refused. */
  readonly has: Int32Array;
}

/** The first refusal of one candidate, of each test. */
export interface RefusalsOfOne {
  gang?: GangRefusal;
  limit?: LimitRefusal;
  budgets?: readonly BudgetRefusal[];
  owners?: readonly OwnerRefusal[];
}

const bit = (test: Test): number => 1 << test;

/** The candidates that were passed over, by what refused them: docs/reference/policies/victim-care.md §10. */
export class PassedOver {
  readonly gangs = new Map<number, RefusedByCare<GangRefusal>>();
  readonly limits = new Map<number, RefusedByCare<LimitRefusal>>();
  /** By budget; null where nothing is in one. */
  readonly budgets: RefusedByBudget | null;
  /** By entry, then owner. */
  readonly owners: readonly RefusedByOwner[];
  /** With `explain`, by candidate. */
  readonly ofOne: Map<number, RefusalsOfOne> | null;
  private readonly marks: Uint8Array;
  /** Who counts where, of candidates that several may refuse: by test, the numbers `what * allocations + candidate`. */
  private readonly counted = new Map<Test, Set<number>>();

  constructor(
    private readonly snapshot: QueueSnapshot,
    private readonly draft: Draft,
    private readonly tests: Tests,
    explain: boolean,
  ) {
    this.marks = new Uint8Array(snapshot.allocations.count);
    this.ofOne = explain ? new Map() : null;
    const budgets = tests.budgets?.columns.ids.length ?? 0;
    this.budgets = budgets === 0 ? null : { first: new Int32Array(budgets), count: new Int32Array(budgets) };
    this.owners = Array.from({ length: tests.owners?.entryCount ?? 0 }, (_, entry) => {
      const owners = tests.owners!.ownersIn(entry);
      return { first: new Int32Array(owners), count: new Int32Array(owners), has: new Int32Array(owners) };
    });
  }

  /** Whether one of the tests 1 to 5 refused the candidate. */
  has(candidate: number): boolean {
    return this.marks[candidate]! !== 0 || this.draft.wasRefused(candidate);
  }

  hasFor(test: Test, candidate: number): boolean {
    return (this.marks[candidate]! & bit(test)) !== 0;
  }

  /** @param unit of two or more; null = the candidate is alone. */
  add(candidate: number, test: Test, unit: Unit | null): void {
    if (test === GANG || unit !== null) this.addGang(candidate, test, unit);
    else if (test === FLOOR) {
      this.draft.passOverForFloor(candidate, this.draft.floors.refusingCell(candidate));
    } else if (test === LIMIT) this.addLimit(candidate);
    else if (test === BUDGET) this.addBudgets(candidate);
    else if (test === OWNER) this.addOwners(candidate);
    else this.draft.passOverForTarget(candidate);
  }

  private addGang(candidate: number, test: Test, unit: Unit | null): void {
    const application = this.snapshot.allocations.application[candidate]!;
    const isNew = !this.hasFor(GANG, candidate);
    if (!isNew && this.gangs.has(application)) return;
    const staying = this.tests.gangs!.stayingOf(application);
    const why: GangRefusal = { application, staying, by: this.gangRefusedBy(candidate, test, unit) };
    const known = this.gangs.get(application);
    if (known === undefined) this.gangs.set(application, { why, first: candidate, count: 1 });
    else known.count++;
    const one = this.mark(candidate, GANG);
    if (one !== null) one.gang = why;
  }

  private gangRefusedBy(candidate: number, test: Test, unit: Unit | null): GangRefusal['by'] {
    if (unit === null) return { test: 'spare' };
    if (unit.stays !== null) return { test: 'stays', stays: unit.stays };
    if (test === FLOOR) return { test: 'floor', cell: this.tests.floorRefusing(unit) };
    if (test === LIMIT) return { test: 'limit', limit: this.limitOf(candidate, unit) };
    if (test === BUDGET) return { test: 'budget', budgets: this.budgetsOf(unit.members) };
    if (test === PAST_TARGET) return { test: 'past-target' };
    return { test: 'owner', owners: this.tests.owners!.refusing(candidate, unit.members.length) };
  }

  private addLimit(candidate: number): void {
    const several = this.tests.limits!.hasSeveral(this.snapshot.allocations.queue[candidate]!);
    if (!several && this.hasFor(LIMIT, candidate)) return;
    const queue = this.tests.limitRefusing(candidate);
    const isNew = this.isNew(LIMIT, queue, candidate, several);
    if (!counts(this.limits.get(queue), isNew)) {
      this.limits.set(queue, { why: this.limitOf(candidate, null), first: candidate, count: 1 });
    }
    const one = this.mark(candidate, LIMIT);
    if (one !== null) one.limit = this.limitOf(candidate, null);
  }

  private limitOf(candidate: number, unit: Unit | null): LimitRefusal {
    const queue = this.tests.limitRefusing(candidate, unit);
    const limits = this.tests.limits!;
    const { size, firstEntry, entryType, entryAmount } = this.snapshot.allocations;
    const of = size[candidate]!;
    const types = unit?.type ?? entryType.subarray(firstEntry[of]!, firstEntry[of + 1]!);
    const amounts = unit?.amount ?? entryAmount.subarray(firstEntry[of]!, firstEntry[of + 1]!);
    const e = types.findIndex(
      (type, i) => limits.takenFrom(queue, type) + amounts[i]! > limits.mostOf(queue, type),
    );
    return { queue, type: types[e]!, amount: amounts[e]!, taken: limits.takenFrom(queue, types[e]!) };
  }

  private addBudgets(candidate: number): void {
    const budgets = this.tests.budgets!;
    const several = budgets.hasSeveral(candidate);
    if (!several && this.hasFor(BUDGET, candidate)) return;
    const { first, list } = budgets.columns;
    const refused = this.budgets!;
    for (let i = first[candidate]!; i < first[candidate + 1]!; i++) {
      const budget = list[i]!;
      if (budgets.allowance(budget) >= 1) continue;
      if (!this.isNew(BUDGET, budget, candidate, several)) continue;
      if (refused.count[budget]!++ === 0) refused.first[budget] = candidate;
    }
    const one = this.mark(candidate, BUDGET);
    if (one !== null) one.budgets = this.budgetsOf([candidate]);
  }

  private budgetsOf(members: readonly number[]): BudgetRefusal[] {
    const budgets = this.tests.budgets!;
    const inBudget = budgets.membersIn(members);
    return budgets
      .refusing(inBudget)
      .map((budget) => ({ budget, allowance: budgets.allowance(budget), members: inBudget.get(budget)! }));
  }

  private addOwners(candidate: number): void {
    const owners = this.tests.owners!;
    const several = owners.entryCount > 1;
    if (!several && this.hasFor(OWNER, candidate)) return;
    for (let entry = 0; entry < owners.entryCount; entry++) {
      const owner = owners.ownerRefusing(entry, candidate, 1);
      if (owner < 0) continue;
      // The owner of a candidate in an entry is always the same.
      if (!this.isNew(OWNER, entry, candidate, several)) continue;
      const refused = this.owners[entry]!;
      if (refused.count[owner]!++ > 0) continue;
      refused.first[owner] = candidate;
      refused.has[owner] = owners.victimsOf(entry, owner);
    }
    const one = this.mark(candidate, OWNER);
    if (one !== null) one.owners = owners.refusing(candidate, 1);
  }

  /** Whether the candidate does not count for `what` yet. */
  private isNew(test: Test, what: number, candidate: number, several: boolean): boolean {
    if (!several) return true;
    let counted = this.counted.get(test);
    if (counted === undefined) {
      counted = new Set();
      this.counted.set(test, counted);
    }
    const before = counted.size;
    counted.add(what * this.snapshot.allocations.count + candidate);
    return counted.size > before;
  }

  /** @returns where to keep the numbers of the first refusal; null: it is not the first, or nobody asks. */
  private mark(candidate: number, test: Test): RefusalsOfOne | null {
    const isFirst = !this.hasFor(test, candidate);
    this.marks[candidate]! |= bit(test);
    if (!isFirst || this.ofOne === null) return null;
    let one = this.ofOne.get(candidate);
    if (one === undefined) {
      one = {};
      this.ofOne.set(candidate, one);
    }
    return one;
  }
}

/** Counts a candidate that is new. @returns false if there was none before: the caller then keeps it as the first. */
function counts(known: RefusedByCare<unknown> | undefined, isNew: boolean): boolean {
  if (known === undefined) return false;
  if (isNew) known.count++;
  return true;
}
