import type { ResourceCalculator, Resources } from '#contracts';
import { compareProducts } from '../exact-product.js';
import type { QueueSnapshot } from '../snapshot/by-queue.js';
import type { AmountTable, TypeAmounts } from './amounts.js';

/** A share of the cluster, exactly. */
interface Share {
  readonly numerator: number;
  readonly denominator: number;
}

/**
 * The types that are planned, and how amounts of them compare: docs/reference/policies/intra-queue.md §3. With `default` memory alone,
 * with `dominant` all types by their shares of the cluster, largest first.
 */
export class Arithmetic {
  readonly names: readonly string[];
  /** How many types are planned. */
  readonly width: number;
  /** Number of the type in the snapshot by place here; -1 where it is not named there. */
  readonly types: readonly number[];
  /** Place here by number in the snapshot, -1 for types that are not planned. */
  readonly placeOfType: Int32Array;
  readonly zero: TypeAmounts;
  readonly cluster: TypeAmounts;
  readonly isDominant: boolean;
  /** Places of the types that the cluster has; of all types where it has none. */
  private readonly compared: Int32Array;
  /** The cluster has nothing, so that amounts have no shares of it. */
  private readonly isShareless: boolean;
  private readonly sortedA: Int32Array;
  private readonly sortedB: Int32Array;

  constructor(snapshot: QueueSnapshot, calculator: ResourceCalculator, capacity: ArrayLike<number>) {
    this.isDominant = calculator === 'dominant';
    this.names = this.isDominant ? snapshot.types : ['memory'];
    this.width = this.names.length;
    this.types = this.names.map((name) => snapshot.typeNumber.get(name) ?? -1);
    this.placeOfType = new Int32Array(snapshot.types.length).fill(-1);
    this.types.forEach((type, place) => {
      if (type >= 0) this.placeOfType[type] = place;
    });
    this.zero = new Float64Array(this.width);
    this.cluster = Float64Array.from(this.types, (type) => (type < 0 ? 0 : capacity[type]!));
    const places = this.types.map((_, place) => place);
    const present = places.filter((place) => this.cluster[place]! > 0);
    this.isShareless = present.length === 0;
    this.compared = Int32Array.from(this.isShareless ? places : present);
    this.sortedA = new Int32Array(this.width);
    this.sortedB = new Int32Array(this.width);
  }

  /** Of the planned types; one that is not named counts as 0. */
  amountsOf(given: Resources): TypeAmounts {
    return Float64Array.from(this.names, (name) => (Object.hasOwn(given, name) ? given[name]! : 0));
  }

  /** One row of a table. */
  row(table: AmountTable, number: number): TypeAmounts {
    return table.slice(number * this.width, (number + 1) * this.width);
  }

  /** Above 0 if `a` is greater, below 0 if it is smaller, 0 if neither. */
  compare(a: TypeAmounts, b: TypeAmounts): number {
    return this.compareRows(a, 0, b, 0);
  }

  /** The same for the row of `a` that begins at `aAt` and the one of `b` that begins at `bAt`. */
  compareRows(a: AmountTable, aAt: number, b: AmountTable, bAt: number): number {
    if (!this.isDominant) return a[aAt]! - b[bAt]!;
    const { compared } = this;
    let greater = false;
    let smaller = false;
    for (let i = 0; i < compared.length; i++) {
      const difference = a[aAt + compared[i]!]! - b[bAt + compared[i]!]!;
      if (difference > 0) greater = true;
      else if (difference < 0) smaller = true;
    }
    if (greater !== smaller) return greater ? 1 : -1;
    return greater && !this.isShareless ? this.compareSorted(a, aAt, b, bAt) : 0;
  }

  isMore(a: TypeAmounts, b: TypeAmounts): boolean {
    return this.compareRows(a, 0, b, 0) > 0;
  }

  /** @param at where the row of `a` begins. */
  isAboveZero(a: AmountTable, at = 0): boolean {
    if (!this.isDominant) return a[at]! > 0;
    // Of shares in their order the first that is not 0 decides: the largest, if any is above 0.
    const { compared } = this;
    let greater = false;
    for (let i = 0; i < compared.length; i++) {
      const amount = a[at + compared[i]!]!;
      if (amount > 0) greater = true;
      else if (amount < 0 && this.isShareless) return false;
    }
    return greater;
  }

  /** Whether less of a demand is left without amounts, of which none is below 0. */
  brings(amounts: TypeAmounts, demand: TypeAmounts): boolean {
    if (!this.isDominant) return amounts[0]! > 0 && demand[0]! > 0;
    const { compared } = this;
    for (let i = 0; i < compared.length; i++) {
      if (amounts[compared[i]!]! > 0 && demand[compared[i]!]! > 0) return true;
    }
    return false;
  }

  /** One of them whole, the first on a tie. */
  min(a: TypeAmounts, b: TypeAmounts): TypeAmounts {
    return this.compareRows(a, 0, b, 0) <= 0 ? a : b;
  }

  max(a: TypeAmounts, b: TypeAmounts): TypeAmounts {
    return this.compareRows(a, 0, b, 0) >= 0 ? a : b;
  }

  /** The largest share that amounts, none below 0, have of the cluster. */
  largestShare(a: TypeAmounts): Share {
    const place = this.placeOfLargest(a, 0);
    if (place < 0) return { numerator: 0, denominator: 1 };
    return { numerator: a[place]!, denominator: this.isDominant ? this.cluster[place]! : 1 };
  }

  /** The type of the largest share that a row has of the cluster, -1 = the cluster has none. */
  placeOfLargest(a: AmountTable, at: number): number {
    if (!this.isDominant) return 0;
    if (this.isShareless) return -1;
    const { compared } = this;
    let largest = compared[0]!;
    for (let i = 1; i < compared.length; i++) {
      if (this.compareShares(a, at, compared[i]!, a, at, largest) > 0) largest = compared[i]!;
    }
    return largest;
  }

  private compareShares(
    a: AmountTable,
    aAt: number,
    placeOfA: number,
    b: AmountTable,
    bAt: number,
    placeOfB: number,
  ): number {
    const ofA = a[aAt + placeOfA]!;
    const ofB = b[bAt + placeOfB]!;
    if (placeOfA === placeOfB) return ofA - ofB;
    return compareProducts(ofA, this.cluster[placeOfB]!, ofB, this.cluster[placeOfA]!);
  }

  private compareSorted(a: AmountTable, aAt: number, b: AmountTable, bAt: number): number {
    const largest = this.compareShares(
      a,
      aAt,
      this.placeOfLargest(a, aAt),
      b,
      bAt,
      this.placeOfLargest(b, bAt),
    );
    // It decides nearly always.
    if (largest !== 0) return largest;
    const { sortedA, sortedB } = this;
    this.sortByShare(a, aAt, sortedA);
    this.sortByShare(b, bAt, sortedB);
    for (let i = 1; i < this.compared.length; i++) {
      const order = this.compareShares(a, aAt, sortedA[i]!, b, bAt, sortedB[i]!);
      if (order !== 0) return order;
    }
    return 0;
  }

  /** Places by share, largest first: few types, by insertion. */
  private sortByShare(a: AmountTable, at: number, places: Int32Array): void {
    for (let i = 0; i < this.compared.length; i++) {
      const moving = this.compared[i]!;
      let to = i;
      for (; to > 0 && this.compareShares(a, at, places[to - 1]!, a, at, moving) < 0; to--) {
        places[to] = places[to - 1]!;
      }
      places[to] = moving;
    }
  }
}
