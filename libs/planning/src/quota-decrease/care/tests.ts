import type { QueueSnapshot } from '../../snapshot/by-queue.js';
import type { Protection } from '../../snapshot/protection.js';
import type { Draft } from '../draft.js';
import { BudgetCounts } from './budget-counts.js';
import type { Care } from './care.js';
import { Gangs, type Unit } from './gangs.js';
import { Limits } from './limits.js';
import { OwnerCounts } from './owner-counts.js';

/** The tests 1 to 5 of docs/reference/policies/victim-care.md §4, in their order. */
export const PASSED = 0;
export const GANG = 1;
export const FLOOR = 2;
export const LIMIT = 3;
export const BUDGET = 4;
export const OWNER = 5;
/** Test 6, which depends on what a leaf has given in this pass. */
export const PAST_TARGET = 6;

export type Test = 0 | 1 | 2 | 3 | 4 | 5 | 6;

/** Which tests concern an allocation, as bits. Many are subject to owner budgets only. */
const IN_FLOOR = 1;
const IN_LIMIT = 2;
const IN_BUDGET = 4;
const IN_GANG = 8;

/** The result of the tests for a unit, as long as nothing is taken or given back. */
interface Verdict {
  readonly moment: number;
  readonly test: Test;
}

/** Whether the unit of a candidate may go now, and what each victim counts in. */
export class Tests {
  readonly limits: Limits | null;
  readonly budgets: BudgetCounts | null;
  readonly owners: OwnerCounts | null;
  readonly gangs: Gangs | null;
  private asks: boolean;
  private readonly spares: boolean;
  /** By allocation. */
  private readonly concerns: Uint8Array;
  private readonly verdicts = new WeakMap<Unit, Verdict>();
  /** Changes with each victim. */
  private moment = 0;
  /** By queue: the tests that concern any of its allocations. */
  private readonly concernsOf: Uint8Array;

  constructor(
    private readonly snapshot: QueueSnapshot,
    private readonly draft: Draft,
    care: Care,
    protection: Protection | null,
  ) {
    const { columns, settings } = care;
    const isVictim = (allocation: number) => draft.isTaken(allocation);
    this.limits = columns.queues.limit === null ? null : new Limits(snapshot, columns.queues.limit);
    this.budgets = columns.budgets === null ? null : new BudgetCounts(columns.budgets);
    this.asks = settings.disruptionBudgets !== 'ignore';
    this.owners =
      settings.ownerBudgets.length === 0
        ? null
        : new OwnerCounts(snapshot, settings.ownerBudgets, columns.recentVictims);
    this.spares = settings.gangs === 'spare';
    this.gangs =
      columns.gangs === null || settings.gangs === 'ignore'
        ? null
        : new Gangs(snapshot, columns.gangs, care, protection, isVictim, this.spares);
    this.concerns = new Uint8Array(snapshot.allocations.count);
    this.concernsOf = new Uint8Array(snapshot.queues.count);
    this.findConcerns(columns);
  }

  private findConcerns({ budgets, gangs }: Care['columns']): void {
    const { concerns, concernsOf, limits } = this;
    const { queues, allocations } = this.snapshot;
    for (let q = 0; q < queues.count; q++) {
      const ofAll = (this.draft.floors.guards(q) ? IN_FLOOR : 0) | (limits?.bounds(q) ? IN_LIMIT : 0);
      concernsOf[q] = ofAll;
      concerns.fill(ofAll, queues.firstAllocation[q]!, queues.firstAllocation[q + 1]!);
    }
    if (budgets !== null) {
      const { first } = budgets;
      for (let a = 0; a < concerns.length; a++) {
        if (first[a + 1]! === first[a]!) continue;
        concerns[a]! |= IN_BUDGET;
        concernsOf[allocations.queue[a]!]! |= IN_BUDGET;
      }
    }
    if (this.gangs === null) return;
    for (const member of gangs!.members.members) {
      concerns[member]! |= IN_GANG;
      concernsOf[allocations.queue[member]!]! |= IN_GANG;
    }
  }

  /** Whether the fourth test is made. */
  get asksBudgets(): boolean {
    return this.asks;
  }

  /** From here on the fourth test is not made: 5.2. */
  stopAskingBudgets(): void {
    this.asks = false;
    this.moment++;
  }

  /** Whether no other test can refuse a candidate that this one has refused. */
  isOnlyTest(test: Test, candidate: number): boolean {
    return test === OWNER && this.concerns[candidate] === 0 && this.owners!.entryCount === 1;
  }

  /** Whether its gang decides about a candidate: it is a member that is needed for the minimum. */
  isBound(candidate: number): boolean {
    return (this.concerns[candidate]! & IN_GANG) !== 0 && this.gangs!.isNeeded(candidate);
  }

  /** Two members or more that go with a candidate; null: it goes alone, or not at all. */
  unitOf(candidate: number): Unit | null {
    return this.spares || !this.isBound(candidate) ? null : this.gangs!.unitOf(candidate);
  }

  /** Whether a candidate is a member whose gang can do without it (7.2). */
  isSurplus(candidate: number): boolean {
    return (this.concerns[candidate]! & IN_GANG) !== 0 && !this.gangs!.isNeeded(candidate);
  }

  /** False where no test can refuse a candidate of the leaf now. */
  mayRefuse(leaf: number): boolean {
    if (this.owners?.isAnyFull) return true;
    const concerns = this.concernsOf[leaf]!;
    return (
      ((concerns & IN_GANG) !== 0 && this.gangs!.mayRefuse(leaf)) ||
      ((concerns & IN_BUDGET) !== 0 && this.asks && this.budgets!.isAnyFull) ||
      ((concerns & IN_FLOOR) !== 0 && this.draft.floors.mayRefuse(leaf)) ||
      ((concerns & IN_LIMIT) !== 0 && this.limits!.mayRefuse(leaf))
    );
  }

  /** Whether a test refuses. While victims are only added, a refused candidate stays refused, though perhaps by another test. */
  refuses(candidate: number): boolean {
    if (this.concerns[candidate] === 0) return this.owners?.refuses(candidate, 1) ?? false;
    return this.refusing(candidate) !== PASSED;
  }

  /** The first test that refuses. */
  refusing(candidate: number): Test {
    if (this.isBound(candidate)) {
      if (this.spares) return GANG;
      const unit = this.gangs!.unitOf(candidate);
      if (unit !== null) return this.refusingUnit(unit);
    }
    return this.refusingAlone(candidate);
  }

  /** The same for a candidate that goes without its gang. */
  refusingAlone(candidate: number): Test {
    const concerns = this.concerns[candidate]!;
    if (concerns !== 0) {
      if ((concerns & IN_FLOOR) !== 0 && this.draft.floors.refusingCell(candidate) >= 0) return FLOOR;
      if ((concerns & IN_LIMIT) !== 0 && this.limitRefusing(candidate) >= 0) return LIMIT;
      if ((concerns & IN_BUDGET) !== 0 && this.asks && this.budgets!.refuses(candidate)) return BUDGET;
    }
    return this.owners?.refuses(candidate, 1) ? OWNER : PASSED;
  }

  /** The lowest queue of the chain that refuses what a candidate or unit uses, by its limit; -1 = none. */
  limitRefusing(candidate: number, unit: Unit | null = null): number {
    if (this.limits === null) return -1;
    const { queue, size, firstEntry, entryType, entryAmount } = this.snapshot.allocations;
    const leaf = queue[candidate]!;
    if (unit !== null) return this.limits.refusing(leaf, unit.type, unit.amount, 0, unit.type.length);
    const of = size[candidate]!;
    return this.limits.refusing(leaf, entryType, entryAmount, firstEntry[of]!, firstEntry[of + 1]!);
  }

  /** The cell of `Floors` that refuses a unit, -1 = none. */
  floorRefusing({ members: [first], type, amount }: Unit): number {
    return this.draft.floors.cellRefusing(
      this.snapshot.allocations.queue[first!]!,
      type,
      amount,
      0,
      type.length,
    );
  }

  /** Whether the fourth test would refuse, made or not (5.2). */
  wouldBorrow(candidate: number, unit: Unit | null): boolean {
    if (this.budgets === null) return false;
    if (unit === null) return this.budgets.refuses(candidate);
    return this.budgets.refusing(this.budgets.membersIn(unit.members)).length > 0;
  }

  /** @param sign 1 for a victim, -1 for one that is given back. */
  count(allocation: number, sign: 1 | -1): void {
    this.moment++;
    this.owners?.count(allocation, sign);
    const concerns = this.concerns[allocation]!;
    if (concerns === 0) return;
    if ((concerns & IN_LIMIT) !== 0) this.limits!.count(allocation, sign);
    if ((concerns & IN_BUDGET) !== 0) this.budgets!.count(allocation, sign);
    if ((concerns & IN_GANG) !== 0) this.gangs!.count(allocation, sign);
  }

  private refusingUnit(unit: Unit): Test {
    const known = this.verdicts.get(unit);
    if (known?.moment === this.moment) return known.test;
    const test = this.testUnit(unit);
    this.verdicts.set(unit, { moment: this.moment, test });
    return test;
  }

  private testUnit(unit: Unit): Test {
    const [first] = unit.members;
    if (unit.stays !== null) return GANG;
    if (this.floorRefusing(unit) >= 0) return FLOOR;
    if (this.limitRefusing(first!, unit) >= 0) return LIMIT;
    if (this.asksBudgets && this.wouldBorrow(first!, unit)) return BUDGET;
    return this.owners?.refuses(first!, unit.members.length) ? OWNER : PASSED;
  }
}
