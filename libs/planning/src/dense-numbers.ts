/** Numbers values densely in their order, so that ranks made of them stay small however far apart the values are. */
export class DenseNumbers {
  private readonly numbers = new Map<number, number>();
  private lastValue = Number.NaN;
  private lastNumber = 0;

  /** Of `values[i]` for each `i` of `those`. */
  constructor(values: ArrayLike<number>, those: ArrayLike<number>) {
    let last = Number.NaN;
    for (let i = 0; i < those.length; i++) {
      const value = values[those[i]!]!;
      // Neighbours are often equal, here and below.
      if (value === last) continue;
      last = value;
      this.numbers.set(last, 0);
    }
    Float64Array.from(this.numbers.keys())
      .sort()
      .forEach((value, number) => {
        this.numbers.set(value, number);
      });
  }

  get count(): number {
    return this.numbers.size;
  }

  of(value: number): number {
    if (value !== this.lastValue) {
      this.lastValue = value;
      this.lastNumber = this.numbers.get(value)!;
    }
    return this.lastNumber;
  }
}
