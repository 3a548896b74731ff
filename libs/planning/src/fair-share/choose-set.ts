/**
 * The smallest set that gives what is missing, in walking order: docs/policies/fair-share.md §11, "Choosing a set". Each
 * candidate that holds a type still missing is taken, until nothing is missing; then, last first, one is given back if in every
 * missing type that it holds the others still give enough.
 */
export class SetChoice {
  /** The allocations that were chosen, in walking order; valid until the next choice. */
  readonly members: number[] = [];
  private readonly left: Float64Array;

  constructor(
    private readonly width: number,
    private readonly size: Float64Array,
  ) {
    this.left = new Float64Array(width);
  }

  /**
   * @param missing by type; what is not above 0 is not missing.
   * @param offer calls its parameter for each candidate, in walking order, until that gives false.
   * @returns whether the members give all that is missing.
   */
  choose(missing: Float64Array, offer: (take: (candidate: number) => boolean) => void): boolean {
    const { members, left } = this;
    members.length = 0;
    left.set(missing);
    if (!this.anyLeft()) return true;
    offer((candidate) => this.take(candidate));
    this.giveBack(missing);
    return !this.anyLeft();
  }

  /** False when nothing is missing any more. */
  private take(candidate: number): boolean {
    const { width, size, left } = this;
    const row = candidate * width;
    let helps = false;
    for (let type = 0; type < width; type++) if (left[type]! > 0 && size[row + type]! > 0) helps = true;
    if (!helps) return true;
    for (let type = 0; type < width; type++) left[type]! -= size[row + type]!;
    this.members.push(candidate);
    return this.anyLeft();
  }

  private giveBack(missing: Float64Array): void {
    const { width, size, left, members } = this;
    for (let i = members.length - 1; i >= 0; i--) {
      const row = members[i]! * width;
      let needed = false;
      for (let type = 0; type < width; type++) {
        const amount = size[row + type]!;
        if (missing[type]! > 0 && amount > 0 && left[type]! + amount > 0) needed = true;
      }
      if (needed) continue;
      for (let type = 0; type < width; type++) left[type]! += size[row + type]!;
      members.splice(i, 1);
    }
  }

  private anyLeft(): boolean {
    for (let type = 0; type < this.width; type++) if (this.left[type]! > 0) return true;
    return false;
  }
}
