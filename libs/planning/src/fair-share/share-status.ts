import type { FairShareSnapshot } from './snapshot/columns.js';
import { SAME_SHARE } from './tolerance.js';

/** The values that change while a plan is made, by element or ask; the snapshot has the first ones. */
export interface Live {
  /** Amounts by element and type. */
  readonly usage: Float64Array;
  /** How many allocations each ask still waits for. */
  readonly waiting: Float64Array;
}

/** The values that do not change while a plan is made. Shares by element and type. */
export interface Entitlement {
  readonly fair: Float64Array;
  readonly demand: Float64Array;
  /** The part of the fair share that is enough, by element, as it is in force. */
  readonly tolerance: Float64Array;
}

/**
 * How the usage of elements compares to their fair shares: docs/reference/policies/fair-share.md §7. All answers are for the usage
 * of the moment.
 */
export class ShareStatus {
  /** 1 where a type is blocked for an element. */
  readonly blocked: Uint8Array;
  readonly allBlocked: Uint8Array;
  /** By element and type: an element that uses less is below its fair share. */
  readonly bound: Float64Array;
  /** 1 for operations whose fair share is all they want: no tolerance holds for them. */
  private readonly gotAll: Uint8Array;
  private readonly inverse: Float64Array;

  constructor(
    private readonly snapshot: FairShareSnapshot,
    private readonly entitlement: Entitlement,
    private readonly absoluteTolerance: boolean,
    readonly live: Live,
  ) {
    const { elements, pools, totals } = snapshot;
    const { fair, demand, tolerance } = entitlement;
    const width = totals.length;
    this.inverse = totals.map((total) => (total > 0 ? 1 / total : 0));
    this.blocked = new Uint8Array(elements.count * width);
    this.allBlocked = new Uint8Array(elements.count).fill(1);
    this.bound = new Float64Array(elements.count * width);
    this.gotAll = new Uint8Array(elements.count);
    for (let element = 0; element < elements.count; element++) {
      const row = element * width;
      let gotAll = element >= pools.count;
      for (let cell = row; cell < row + width; cell++) {
        if (fair[cell]! >= demand[cell]! - SAME_SHARE) this.blocked[cell] = 1;
        else this.allBlocked[element] = 0;
        if (fair[cell]! + 1e-4 < demand[cell]! - SAME_SHARE) gotAll = false;
      }
      this.gotAll[element] = gotAll ? 1 : 0;
      const enough = gotAll ? 1 : tolerance[element]!;
      for (let cell = row; cell < row + width; cell++) {
        this.bound[cell] = Math.min(fair[cell]! * enough, demand[cell]!);
      }
    }
  }

  usageShare(element: number, type: number): number {
    return this.live.usage[element * this.inverse.length + type]! * this.inverse[type]!;
  }

  /** Infinity where it has nothing to want. */
  ownSatisfaction(element: number): number {
    const { blocked, inverse } = this;
    const { fair } = this.entitlement;
    const { usage } = this.live;
    const width = inverse.length;
    const row = element * width;
    let nothing = true;
    let over = false;
    for (let type = 0; type < width; type++) {
      const share = fair[row + type]!;
      if (share > SAME_SHARE) nothing = false;
      if (usage[row + type]! * inverse[type]! > share + SAME_SHARE) over = true;
    }
    if (nothing) return Number.POSITIVE_INFINITY;
    const allBlocked = this.allBlocked[element] === 1;
    let ratio = !over && allBlocked ? Number.POSITIVE_INFINITY : 0;
    for (let type = 0; type < width; type++) {
      const share = fair[row + type]!;
      const used = usage[row + type]! * inverse[type]!;
      const isNone = share <= SAME_SHARE;
      if (over) {
        const here = !isNone ? used / share : used <= SAME_SHARE ? 0 : Number.POSITIVE_INFINITY;
        if (here > ratio) ratio = here;
      } else if (allBlocked) {
        const here = isNone ? 1 : used / share;
        if (here < ratio) ratio = here;
      } else if (blocked[row + type] === 0 && !isNone && used / share > ratio) {
        ratio = used / share;
      }
    }
    return ratio > 1e9 ? Number.POSITIVE_INFINITY : ratio;
  }

  /** The satisfaction of every element: of a pool that of its least satisfied child. */
  satisfactions(): Float64Array {
    const { elements, pools, operations } = this.snapshot;
    const satisfaction = new Float64Array(elements.count).fill(Number.NaN);
    for (let element = elements.count - 1; element >= 0; element--) {
      if (Number.isNaN(satisfaction[element]!)) satisfaction[element] = this.ownSatisfaction(element);
      if (element === 0) break;
      if (element >= pools.count && operations.suspended[element - pools.count] === 1) continue;
      const above = elements.parent[element]!;
      const least = satisfaction[above]!;
      satisfaction[above] = Number.isNaN(least)
        ? satisfaction[element]!
        : Math.min(least, satisfaction[element]!);
    }
    return satisfaction;
  }

  isBelow(element: number): boolean {
    const { pools, operations } = this.snapshot;
    const isOperation = element >= pools.count;
    if (isOperation && operations.suspended[element - pools.count] === 1) return false;
    const { bound, inverse, live } = this;
    const width = inverse.length;
    const row = element * width;
    const isUnder = (type: number): boolean =>
      bound[row + type]! > live.usage[row + type]! * inverse[type]! + SAME_SHARE;
    if (!this.holdsBelow(element, isUnder)) return false;
    const checksAsks = this.absoluteTolerance && isOperation && this.gotAll[element] === 0;
    return !checksAsks || this.lacksAnAsk(element);
  }

  /** Below of §7: of every type that is not blocked; where all are blocked, of some type. */
  private holdsBelow(element: number, isUnder: (type: number) => boolean): boolean {
    const width = this.inverse.length;
    const row = element * width;
    if (this.allBlocked[element] === 1) {
      for (let type = 0; type < width; type++) if (isUnder(type)) return true;
      return false;
    }
    for (let type = 0; type < width; type++) {
      if (this.blocked[row + type] === 0 && !isUnder(type)) return false;
    }
    return true;
  }

  /** Whether an operation lacks more of its fair share than its smallest ask. */
  private lacksAnAsk(element: number): boolean {
    const { pools, operations, asks } = this.snapshot;
    const width = this.inverse.length;
    const operation = element - pools.count;
    const smallest = new Float64Array(width).fill(Number.POSITIVE_INFINITY);
    for (let ask = operations.firstAsk[operation]!; ask < operations.firstAsk[operation + 1]!; ask++) {
      if (this.live.waiting[ask] === 0) continue;
      for (let type = 0; type < width; type++) {
        smallest[type] = Math.min(smallest[type]!, asks.size[asks.kind[ask]! * width + type]!);
      }
    }
    const row = element * width;
    return this.holdsBelow(element, (type) => {
      const lacks = this.entitlement.fair[row + type]! - this.usageShare(element, type);
      return lacks > share(smallest[type]!, this.inverse[type]!) + SAME_SHARE;
    });
  }

  /** Of the bound, what an element lacks by type, in whole base units. */
  missing(element: number, type: number): number {
    const width = this.inverse.length;
    const total = this.snapshot.totals[type]!;
    const lacks = this.bound[element * width + type]! * total - this.live.usage[element * width + type]!;
    // A share is exact to some 15 digits only: what it is too much by is not to become a whole unit.
    return Math.max(0, Math.ceil(lacks - total * 1e-12));
  }
}

function share(amount: number, inverse: number): number {
  return amount === Number.POSITIVE_INFINITY ? amount : amount * inverse;
}
