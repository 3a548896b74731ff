import type { Caller } from '../http/client.js';

/** How many may be there at once. */
export interface PlaceLimits {
  /** Of all callers together. */
  all: number;
  /** Of these, places that only operators may take. */
  kept: number;
  /** Of one caller that is no operator. */
  each: number;
}

/** A limited number of places: no caller takes all of them, and some are kept for operators. */
export class Places {
  private taken = 0;
  /** Callers that are no operators, with how many they have. */
  private readonly others = new Map<string, number>();
  private takenByOthers = 0;

  constructor(readonly limits: PlaceLimits) {}

  /** @returns a function that gives the place back, of which only the first call counts; `each` or `all`: the limit that is reached. */
  take({ name, isOperator }: Caller): (() => void) | 'each' | 'all' {
    const { all, kept, each } = this.limits;
    const own = this.others.get(name) ?? 0;
    if (!isOperator && own >= each) return 'each';
    if (this.taken >= all || (!isOperator && this.takenByOthers >= all - kept)) return 'all';
    this.count(name, isOperator, 1);
    let isHeld = true;
    return () => {
      if (isHeld) this.count(name, isOperator, -1);
      isHeld = false;
    };
  }

  private count(name: string, isOperator: boolean, by: 1 | -1): void {
    this.taken += by;
    if (isOperator) return;
    this.takenByOthers += by;
    const own = (this.others.get(name) ?? 0) + by;
    if (own === 0) this.others.delete(name);
    else this.others.set(name, own);
  }
}
