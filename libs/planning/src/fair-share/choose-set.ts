/**
 * The smallest set that gives what is missing, in walking order: docs/reference/policies/fair-share.md §11, "Choosing a set". Each
 * candidate that holds a type still missing is taken, until nothing is missing; then, last first, one is given back if in every
 * missing type that it holds the others still give enough. So: `begin`, `offer` for each candidate, `end`.
 */
export class SetChoice {
  /** The first `count` of them were chosen, in walking order; valid until the next choice. */
  members = new Int32Array(64);
  count = 0;
  private readonly left: Float64Array;
  private missing: Float64Array;

  constructor(
    private readonly width: number,
    private readonly size: Float64Array,
  ) {
    this.left = new Float64Array(width);
    this.missing = this.left;
  }

  /** @param missing by type; what is not above 0 is not missing. It must not change until the end. */
  begin(missing: Float64Array): void {
    this.missing = missing;
    this.count = 0;
    this.left.set(missing);
  }

  /** True once nothing is missing: no more candidates are needed. */
  get isDone(): boolean {
    for (let type = 0; type < this.width; type++) if (this.left[type]! > 0) return false;
    return true;
  }

  offer(candidate: number): void {
    const { width, size, left } = this;
    const row = candidate * width;
    let helps = false;
    for (let type = 0; type < width; type++) if (left[type]! > 0 && size[row + type]! > 0) helps = true;
    if (!helps) return;
    for (let type = 0; type < width; type++) left[type]! -= size[row + type]!;
    if (this.count === this.members.length) {
      const longer = new Int32Array(this.count * 2);
      longer.set(this.members);
      this.members = longer;
    }
    this.members[this.count++] = candidate;
  }

  /** Those that were chosen, to keep. */
  chosen(): number[] {
    return Array.from(this.members.subarray(0, this.count));
  }

  /** Gives back who is not needed; false where the members do not give all that is missing. */
  end(): boolean {
    const { width, size, left, missing, members } = this;
    for (let i = this.count - 1; i >= 0; i--) {
      const row = members[i]! * width;
      let needed = false;
      for (let type = 0; type < width; type++) {
        const amount = size[row + type]!;
        if (missing[type]! > 0 && amount > 0 && left[type]! + amount > 0) needed = true;
      }
      if (needed) continue;
      for (let type = 0; type < width; type++) left[type]! += size[row + type]!;
      members.copyWithin(i, i + 1, this.count--);
    }
    return this.isDone;
  }
}
