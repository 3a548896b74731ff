import { counted, type ReadProtect } from '#contracts';
import type { QueueSnapshot } from '../../snapshot/by-queue.js';
import { protectionOf } from '../../snapshot/protection.js';
import type { Candidates } from '../candidates.js';
import type { Draft } from '../draft.js';
import { addTo, isWanted, passesTarget, typesOpen } from '../leaf.js';
import type { LeafOrders } from '../leaf-orders.js';
import { type LeftByLimit, OpenCandidates, type Rooms, roomsOf } from '../open-candidates.js';
import type { GangTexts } from '../reasons.js';
import type { Sharer } from '../share-out.js';
import type { Taking } from '../taking.js';
import type { Care } from './care.js';
import type { Unit } from './gangs.js';
import { PassedOver } from './passed-over.js';
import { type PassedShare, shareOutByPercent } from './share-percent.js';
import { PASSED, PAST_TARGET, type Test, Tests } from './tests.js';
import { addUnitTo, isUnitSpare, unitPassesTarget } from './unit-amounts.js';

const SURPLUS = 1;
const IN_UNIT = 2;
const BORROWED = 4;

/** A unit of two or more among the victims. */
interface TakenUnit {
  readonly unit: Unit;
  /** The member that the order reached. */
  readonly reached: number;
  /** Why the others go with it; written when first asked for. */
  text?: string;
}

/** The steps of a plan with victim care: docs/reference/policies/victim-care.md §4 to §8. */
export class CarefulTaking implements Taking, GangTexts {
  readonly tests: Tests;
  readonly passedOver: PassedOver;
  /** By application: a gang has one unit at the most, since all that stay go. */
  readonly units = new Map<number, TakenUnit>();
  /** Queues that gave more than their share, by queue (8.3). */
  readonly passedShares = new Map<number, PassedShare>();
  private readonly marks: Uint8Array;
  /** With `fit: "within"`. */
  private readonly fits: boolean;
  /** Made by the first pass, since nothing else needs it. */
  private open: OpenCandidates | null = null;
  private hasBorrowed = false;
  private passes = 0;

  constructor(
    private readonly snapshot: QueueSnapshot,
    private readonly draft: Draft,
    private readonly care: Care,
    private readonly queue: number,
    private readonly takesPart: Uint8Array,
    private readonly candidates: Candidates,
    private readonly orders: LeafOrders,
    protect: ReadProtect,
  ) {
    this.tests = new Tests(snapshot, draft, care, protectionOf(snapshot, protect));
    this.passedOver = new PassedOver(snapshot, draft, this.tests, care.settings.explain);
    this.marks = new Uint8Array(snapshot.allocations.count);
    this.fits = care.settings.fit === 'within';
  }

  /** From here on disruption budgets are not asked: 5.2. */
  beginSecondPart(): void {
    this.tests.stopAskingBudgets();
    this.open?.reset();
  }

  rooms(): Rooms {
    this.passes++;
    const { draft, tests } = this;
    const { limits } = tests;
    const { types } = draft.target;
    this.open ??= new OpenCandidates(draft, this.candidates, tests);
    const leaves: LeftByLimit | null =
      limits && ((queue, place, amount) => limits.leaves(queue, types[place]!, amount));
    return roomsOf(draft, this.queue, this.takesPart, this.open, leaves);
  }

  cut(amounts: Float64Array): Float64Array {
    const { limits } = this.tests;
    if (limits === null) return amounts;
    return amounts.map((amount, place) =>
      limits.leavesInChain(this.queue, this.draft.target.types[place]!, amount),
    );
  }

  shareOut(amount: number, sharers: readonly Sharer[], place: number): void {
    const passed = shareOutByPercent(amount, sharers, this.care.columns.queues.share);
    if (this.passes > 1) return;
    for (const share of passed) {
      if (!this.passedShares.has(share.queue)) this.passedShares.set(share.queue, { ...share, place });
    }
  }

  takeFromLeaf(leaf: number, share: Float64Array | null): number {
    const { draft, tests, open } = this;
    const sorted = this.orders.of(leaf);
    const given = new Float64Array(draft.target.count);
    let taken = 0;
    let types = typesOpen(draft, share, given);
    for (let i = 0; i < sorted.length && types > 0; i++) {
      const candidate = sorted[i]!;
      if (draft.isTaken(candidate) || open?.isSettled(candidate)) continue;
      // While all types are open, every candidate is wanted: each uses one of them.
      if (types < given.length && !isWanted(draft, candidate, share, given)) continue;
      if (tests.isBound(candidate)) {
        taken += this.takeBound(candidate, share, given);
        types = typesOpen(draft, share, given);
        continue;
      }
      let test = tests.refusingAlone(candidate);
      if (test === PASSED && this.fits && passesTarget(draft, candidate, share, given)) test = PAST_TARGET;
      if (test !== PASSED) {
        this.passedOver.add(candidate, test, null);
        if (open !== null && tests.isOnlyTest(test, candidate)) open.settle(candidate);
        continue;
      }
      addTo(given, draft, candidate);
      this.take(candidate);
      taken++;
      types = typesOpen(draft, share, given);
    }
    return taken;
  }

  /** The same for one candidate that goes with its gang, or not at all. */
  private takeBound(candidate: number, share: Float64Array | null, given: Float64Array): number {
    const { draft, tests } = this;
    const unit = tests.unitOf(candidate);
    let test = tests.refusing(candidate);
    if (test === PASSED && this.fits) {
      const passes =
        unit === null
          ? passesTarget(draft, candidate, share, given)
          : unitPassesTarget(draft, unit, share, given);
      if (passes) test = PAST_TARGET;
    }
    if (test !== PASSED) {
      this.passedOver.add(candidate, test, unit);
      return 0;
    }
    if (unit === null) {
      addTo(given, draft, candidate);
      this.take(candidate);
      return 1;
    }
    addUnitTo(given, draft, unit);
    return this.takeUnit(candidate, unit);
  }

  reprieve(): number {
    const spare = this.keepSpare(this.draft.victims);
    if (!this.hasBorrowed) return this.giveBackOf(spare);
    const isBorrowed = (victim: number): boolean => (this.marks[victim]! & BORROWED) !== 0;
    const others = spare.filter((victim) => !isBorrowed(victim));
    return this.giveBackOf(spare.filter(isBorrowed)) + this.giveBackOf(others);
  }

  testWhatIsLeft(): void {
    const nothingGiven = new Float64Array(this.draft.target.count);
    for (let q = this.queue; q < this.snapshot.queues.end[this.queue]!; q++) {
      // Notices name the first one, so the order counts, but only of leaves where there is one.
      if (!this.refusesOneLeftIn(this.orders.unsorted(q), nothingGiven)) continue;
      for (const candidate of this.orders.of(q)) {
        const test = this.refusingLeft(candidate, nothingGiven);
        if (test !== PASSED) this.passedOver.add(candidate, test, this.tests.unitOf(candidate));
      }
    }
  }

  private refusesOneLeftIn(candidates: Int32Array, nothingGiven: Float64Array): boolean {
    for (let i = 0; i < candidates.length; i++) {
      if (this.refusingLeft(candidates[i]!, nothingGiven) !== PASSED) return true;
    }
    return false;
  }

  /** The test that refuses a candidate which none has refused yet, and which would still be wanted. */
  private refusingLeft(candidate: number, nothingGiven: Float64Array): Test {
    if (this.draft.isTaken(candidate) || this.passedOver.has(candidate)) return PASSED;
    return isWanted(this.draft, candidate, null, nothingGiven) ? this.tests.refusing(candidate) : PASSED;
  }

  /** The unit of two or more in which a victim goes. */
  unitOf(victim: number): TakenUnit | undefined {
    if ((this.marks[victim]! & IN_UNIT) === 0) return undefined;
    return this.units.get(this.snapshot.allocations.application[victim]!);
  }

  of(victim: number): { reached: number; text: string } | null {
    const taken = this.unitOf(victim);
    if (taken === undefined) return null;
    taken.text ??= this.textOf(taken.unit);
    return { reached: taken.reached, text: taken.text };
  }

  private textOf({ application, members }: Unit): string {
    const name = this.snapshot.applications.ids[application];
    const needs = this.tests.gangs!.minMembersOf(application);
    return `${counted(members.length, 'member')} of the gang of ${name} go as one, since it needs ${needs}`;
  }

  private take(candidate: number): void {
    this.marks[candidate] = (this.tests.isSurplus(candidate) ? SURPLUS : 0) | this.borrowed(candidate, null);
    this.draft.take(candidate);
    this.tests.count(candidate, 1);
  }

  private takeUnit(candidate: number, unit: Unit): number {
    const borrowed = this.borrowed(candidate, unit);
    this.units.set(unit.application, { unit, reached: candidate });
    for (const member of unit.members) {
      this.marks[member] = IN_UNIT;
      this.draft.take(member);
      this.tests.count(member, 1);
    }
    this.marks[candidate]! |= borrowed;
    return unit.members.length;
  }

  private borrowed(candidate: number, unit: Unit | null): number {
    // The plan knows only the first part of a budget's refusals: those of the second are borrowed.
    if (this.tests.asksBudgets || this.care.settings.disruptionBudgets !== 'last') return 0;
    if (!this.tests.wouldBorrow(candidate, unit)) return 0;
    this.hasBorrowed = true;
    return BORROWED;
  }

  /** From the last of the order to the first. */
  private giveBackOf(victims: Int32Array): number {
    let givenBack = 0;
    for (const ofClass of this.orders.lastClassesFirst(victims)) {
      const left = this.keepSpare(ofClass);
      this.orders.sortClass(left);
      for (let i = left.length - 1; i >= 0; i--) {
        if (this.isSpare(left[i]!) && !this.isKeptByItsGang(left[i]!)) givenBack += this.giveBack(left[i]!);
      }
    }
    return givenBack;
  }

  /** Moves the spare ones to the front of a list, units as the member that was reached. @returns this part of the list. */
  private keepSpare(list: Int32Array): Int32Array {
    let count = 0;
    for (let i = 0; i < list.length; i++) {
      const victim = list[i]!;
      if (this.isSpare(victim)) list[count++] = victim;
    }
    return list.subarray(0, count);
  }

  private giveBack(victim: number): number {
    const taken = this.unitOf(victim);
    if (taken !== undefined) this.units.delete(taken.unit.application);
    const members = taken?.unit.members ?? [victim];
    for (const member of members) {
      this.marks[member] = 0;
      this.draft.giveBack(member);
      this.tests.count(member, -1);
    }
    return members.length;
  }

  private isSpare(victim: number): boolean {
    return (this.marks[victim]! & IN_UNIT) === 0 ? this.draft.isSpare(victim) : this.isUnitSpare(victim);
  }

  /** False for the members that went along. */
  private isUnitSpare(victim: number): boolean {
    const { unit, reached } = this.unitOf(victim)!;
    return reached === victim && isUnitSpare(this.draft, unit);
  }

  /** 7.7 */
  private isKeptByItsGang(victim: number): boolean {
    const { application } = this.snapshot.allocations;
    return (this.marks[victim]! & SURPLUS) !== 0 && this.units.has(application[victim]!);
  }
}
