import type { ReadFairShareSettings, Resources } from '#contracts';
import type { Effective } from './effective.js';
import type { Entitlement, ShareStatus } from './share-status.js';
import type { FairShareSnapshot } from './snapshot/columns.js';
import { SAME_SHARE } from './tolerance.js';

/** The groups of docs/reference/policies/fair-share.md §9. */
export const SAFE = 0;
export const AGGRESSIVE = 1;
export const PLAIN = 2;
export type Group = typeof SAFE | typeof AGGRESSIVE | typeof PLAIN;

/** No allocation has this number: all of an operation are inside the bound. */
const NO_ALLOCATION = 0x7fffffff;

/**
 * Cuts the allocations of each operation, oldest first, into those that are safe, those that only aggressive preemption may take
 * and plain ones. Allocations are numbered by age, so the group of one follows from two numbers of its operation. One that goes
 * moves the cuts of its operation towards the newer ones only, and only if it is no newer than they are.
 */
export class Groups {
  /** By operation, for the aggressive bound and for the other one: the first allocation that is not inside. */
  private readonly cut: readonly [Int32Array, Int32Array];
  /** The place of the cut among the allocations of the operation, and what those before it use. */
  private readonly place: readonly [Int32Array, Int32Array];
  private readonly sum: readonly [Float64Array, Float64Array];
  private readonly bound: readonly [Float64Array, Float64Array];
  /** The amount of each type that an operation has to use to be above its threshold; empty where none protects. */
  private readonly thresholds: readonly Float64Array[];
  private readonly inverse: Float64Array;

  constructor(
    private readonly snapshot: FairShareSnapshot,
    private readonly settings: ReadFairShareSettings,
    private readonly entitlement: Entitlement,
    private readonly shareStatus: ShareStatus,
    effective: Effective,
    private readonly gone: Uint8Array,
  ) {
    const { operations, totals, types } = snapshot;
    const width = types.length;
    const both = <C>(make: () => C): [C, C] => [make(), make()];
    this.cut = both(() => new Int32Array(operations.count));
    this.place = both(() => new Int32Array(operations.count));
    this.sum = both(() => new Float64Array(operations.count * width));
    this.bound = both(() => new Float64Array(operations.count * width));
    this.inverse = totals.map((total) => (total > 0 ? 1 / total : 0));
    this.thresholds = thresholdsOf(snapshot, effective);
    for (let operation = 0; operation < operations.count; operation++) {
      this.setBounds(operation);
      this.cutAgain(operation);
    }
  }

  of(allocation: number): Group {
    const operation = this.snapshot.allocations.operation[allocation]!;
    if (allocation < this.cut[0][operation]!) return SAFE;
    return allocation < this.cut[1][operation]! ? AGGRESSIVE : PLAIN;
  }

  /** To be called for each allocation that goes, after it is marked in `gone`. True where newer ones have changed their group. */
  leave(allocation: number): boolean {
    const { allocations, types } = this.snapshot;
    const width = types.length;
    const operation = allocations.operation[allocation]!;
    let moved = false;
    for (const which of [0, 1] as const) {
      const cut = this.cut[which][operation]!;
      if (allocation > cut) continue;
      for (let type = 0; type < width && allocation < cut; type++) {
        this.sum[which][operation * width + type]! -= allocations.size[allocation * width + type]!;
      }
      this.advance(operation, which);
      if (this.cut[which][operation] !== cut) moved = true;
    }
    return moved;
  }

  /** To be called for each allocation that stays after all, after it is not marked any more. */
  comeBack(allocation: number): void {
    this.cutAgain(this.snapshot.allocations.operation[allocation]!);
  }

  private cutAgain(operation: number): void {
    const { operations, types } = this.snapshot;
    const row = operation * types.length;
    const end = row + types.length;
    this.place[0][operation] = operations.firstAllocation[operation]!;
    this.sum[0].fill(0, row, end);
    this.advance(operation, 0);
    // An allocation inside the aggressive bound is inside the other one too.
    this.place[1][operation] = this.place[0][operation]!;
    this.sum[1].set(this.sum[0].subarray(row, end), row);
    this.advance(operation, 1);
  }

  private setBounds(operation: number): void {
    const { pools, types } = this.snapshot;
    const { aggressivePreemptionSatisfactionThreshold, preemptionSatisfactionThreshold } = this.settings;
    const { fair, demand } = this.entitlement;
    const width = types.length;
    const row = operation * width;
    const element = (pools.count + operation) * width;
    let hasAll = true;
    let wants = false;
    for (let type = 0; type < width; type++) {
      const share = fair[element + type]!;
      if (Math.abs(share - demand[element + type]!) > SAME_SHARE) hasAll = false;
      if (demand[element + type]! > 0) wants = true;
      this.bound[0][row + type] = share * aggressivePreemptionSatisfactionThreshold;
      this.bound[1][row + type] = share * preemptionSatisfactionThreshold;
    }
    if (hasAll && wants) this.bound[1].fill(Number.POSITIVE_INFINITY, row, row + width);
  }

  /** Moves a cut to the first allocation from its place on that is not within the bound. */
  private advance(operation: number, which: 0 | 1): void {
    const { operations, allocations, types } = this.snapshot;
    const { size } = allocations;
    const width = types.length;
    const row = operation * width;
    const sum = this.sum[which];
    const end = operations.firstAllocation[operation + 1]!;
    let place = this.place[which][operation]!;
    for (; place < end; place++) {
      const allocation = operations.byOperation[place]!;
      if (this.gone[allocation] === 1) continue;
      if (!this.isWithin(operation, which, allocation * width)) break;
      for (let type = 0; type < width; type++) sum[row + type]! += size[allocation * width + type]!;
    }
    this.place[which][operation] = place;
    this.cut[which][operation] = place < end ? operations.byOperation[place]! : NO_ALLOCATION;
  }

  /** Whether an allocation is within a bound; `added` is its row in the table of sizes. */
  private isWithin(operation: number, which: 0 | 1, added: number): boolean {
    const { pools, allocations, types } = this.snapshot;
    const { size } = allocations;
    const { inverse } = this;
    const { blocked, allBlocked } = this.shareStatus;
    const width = types.length;
    const row = operation * width;
    const element = pools.count + operation;
    const cell = element * width;
    const including = this.settings.considerAllocationOnFairShareBoundPreemptible;
    const sum = this.sum[which];
    const bound = this.bound[which];
    const threshold = this.thresholds[operation];
    if (threshold !== undefined && threshold.length > 0) {
      let small = true;
      for (let type = 0; type < width; type++) {
        const used = sum[row + type]! + (including ? size[added + type]! : 0);
        if (used >= threshold[type]!) small = false;
      }
      if (small) return true;
    }
    let all = true;
    let some = false;
    for (let type = 0; type < width; type++) {
      const used = sum[row + type]! + (including ? size[added + type]! : 0);
      const share = used * inverse[type]!;
      const most = bound[row + type]!;
      if (including ? share <= most + SAME_SHARE : most > share + SAME_SHARE) {
        if (!including || this.entitlement.demand[cell + type]! > 0) some = true;
      } else if (blocked[cell + type] === 0) all = false;
    }
    return allBlocked[element] === 1 ? some : all;
  }
}

/** By operation; Infinity for types that a threshold does not name. No rows where no operation has one. */
function thresholdsOf(snapshot: FairShareSnapshot, effective: Effective): Float64Array[] {
  const { pools, operations, types } = snapshot;
  const known = new Map<Resources, Float64Array>();
  let any = false;
  const rows: Float64Array[] = [];
  for (let operation = 0; operation < operations.count; operation++) {
    const threshold = effective.usageThreshold[pools.count + operation]!;
    let row = known.get(threshold);
    if (row === undefined) {
      const names = Object.keys(threshold);
      // Usage is never below 0: with a type of 0, used or not, the threshold protects none.
      const protects = names.length > 0 && names.every((name) => threshold[name]! > 0);
      row = protects
        ? Float64Array.from(types, (type) => (Object.hasOwn(threshold, type) ? threshold[type]! : Infinity))
        : new Float64Array(0);
      known.set(threshold, row);
    }
    if (row.length > 0) any = true;
    rows.push(row);
  }
  return any ? rows : [];
}
