import type { ResourceCalculator } from '@curtail/contracts';
import { compareProducts } from '../exact-product.js';
import type { QueueSnapshot } from '../snapshot/by-queue.js';
import type { Amounts } from './amounts.js';

/** A share of the cluster as an exact fraction. */
export interface Fraction {
  readonly numerator: number;
  readonly denominator: number;
}

/**
 * The types that are planned, and how amounts of them compare: docs/reference/policies/intra-queue.md §3. With `default` memory alone,
 * with `dominant` all types by their shares of the cluster, largest first.
 */
export class Arithmetic {
  readonly names: readonly string[];
  /** Number of the type in the snapshot by place here; -1 where it is not named there. */
  readonly types: readonly number[];
  /** Place here by number in the snapshot, -1 for types that are not planned. */
  readonly placeOfType: Int32Array;
  readonly zero: Amounts;
  readonly cluster: Amounts;
  readonly isDominant: boolean;
  /** Places of the types that the cluster has. */
  private readonly present: readonly number[];
  private readonly sortedA: number[] = [];
  private readonly sortedB: number[] = [];

  constructor(snapshot: QueueSnapshot, calculator: ResourceCalculator, capacity: ArrayLike<number>) {
    this.isDominant = calculator === 'dominant';
    this.names = this.isDominant ? snapshot.types : ['memory'];
    this.types = this.names.map((name) => snapshot.typeNumber.get(name) ?? -1);
    this.placeOfType = new Int32Array(snapshot.types.length).fill(-1);
    this.types.forEach((type, place) => {
      if (type >= 0) this.placeOfType[type] = place;
    });
    this.zero = this.types.map(() => 0);
    this.cluster = this.types.map((type) => (type < 0 ? 0 : capacity[type]!));
    this.present = this.types.map((_, place) => place).filter((place) => this.cluster[place]! > 0);
  }

  /** One row of a table with a column a planned type. */
  row(table: Float64Array, number: number): Amounts {
    const width = this.names.length;
    const at = number * width;
    if (width === 1) return [table[at]!];
    if (width === 2) return [table[at]!, table[at + 1]!];
    if (width === 3) return [table[at]!, table[at + 1]!, table[at + 2]!];
    if (width === 4) return [table[at]!, table[at + 1]!, table[at + 2]!, table[at + 3]!];
    return Array.from(table.subarray(at, at + width));
  }

  /** Above 0 if `a` is greater, below 0 if it is smaller, 0 if neither. */
  compare(a: Amounts, b: Amounts): number {
    if (!this.isDominant) return a[0]! - b[0]!;
    const none = this.present.length === 0;
    const count = none ? a.length : this.present.length;
    let greater = false;
    let smaller = false;
    for (let i = 0; i < count; i++) {
      const place = none ? i : this.present[i]!;
      if (a[place]! > b[place]!) greater = true;
      else if (a[place]! < b[place]!) smaller = true;
    }
    if (greater !== smaller) return greater ? 1 : -1;
    return greater && !none ? this.compareSorted(a, b) : 0;
  }

  isMore(a: Amounts, b: Amounts): boolean {
    return this.compare(a, b) > 0;
  }

  /** Not greater. */
  isAtMost(a: Amounts, b: Amounts): boolean {
    return this.compare(a, b) <= 0;
  }

  isAboveZero(a: Amounts): boolean {
    return this.compare(a, this.zero) > 0;
  }

  /** One of them whole, the first on a tie. */
  min(a: Amounts, b: Amounts): Amounts {
    return this.compare(a, b) <= 0 ? a : b;
  }

  max(a: Amounts, b: Amounts): Amounts {
    return this.compare(a, b) >= 0 ? a : b;
  }

  /** The largest share that amounts, none below 0, have of the cluster, and of which type it is (-1 = the cluster has none). */
  largestShare(a: Amounts): Fraction & { place: number } {
    if (!this.isDominant) return { numerator: a[0]!, denominator: 1, place: 0 };
    let largest = -1;
    for (const place of this.present) {
      if (largest < 0 || this.compareShares(a, place, a, largest) > 0) largest = place;
    }
    return largest < 0
      ? { numerator: 0, denominator: 1, place: -1 }
      : { numerator: a[largest]!, denominator: this.cluster[largest]!, place: largest };
  }

  private compareShares(a: Amounts, placeOfA: number, b: Amounts, placeOfB: number): number {
    if (placeOfA === placeOfB) return a[placeOfA]! - b[placeOfB]!;
    return compareProducts(a[placeOfA]!, this.cluster[placeOfB]!, b[placeOfB]!, this.cluster[placeOfA]!);
  }

  private compareSorted(a: Amounts, b: Amounts): number {
    this.sortByShare(a, this.sortedA);
    this.sortByShare(b, this.sortedB);
    for (let i = 0; i < this.present.length; i++) {
      const order = this.compareShares(a, this.sortedA[i]!, b, this.sortedB[i]!);
      if (order !== 0) return order;
    }
    return 0;
  }

  /** Places by share, largest first: few types, by insertion. */
  private sortByShare(a: Amounts, places: number[]): void {
    for (let i = 0; i < this.present.length; i++) {
      const moving = this.present[i]!;
      let at = i;
      for (; at > 0 && this.compareShares(a, places[at - 1]!, a, moving) < 0; at--) {
        places[at] = places[at - 1]!;
      }
      places[at] = moving;
    }
  }
}
