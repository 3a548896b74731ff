import { within } from '#waiting';
import type { Caller, CallingClient } from '../http/client.js';
import { ProblemException } from '../problems/problem.js';

/**
 * Large pieces of work, one at a time if nothing else is said. Callers have turns: a caller with many requests waits behind each other caller
 * once, not with all of them in front. Only a limited number may wait or be under way; others are rejected, since each keeps its input in memory.
 */
export class Turns {
  private readonly places: CallerPlaces;
  /** What waits, by caller, in the order of their turns. */
  private readonly waiting = new Map<string, (() => void)[]>();
  /** How many pieces are under way, by caller. */
  private readonly underWay = new Map<string, number>();
  private allUnderWay = 0;

  /**
   * @param what the rejected work, in the plural: `previews`.
   * @param limits of what waits or is under way.
   * @param atOnce what may be under way, of all callers and of each.
   */
  constructor(
    private readonly what: string,
    limits: PlaceLimits,
    private readonly atOnce = { all: 1, each: 1 },
  ) {
    this.places = new CallerPlaces(limits);
  }

  /**
   * Its turn ends with the work, even if the client leaves before.
   *
   * @param work never begun if the client leaves while it waits.
   * @throws ProblemException 503 if too many wait already, 429 if too many of this caller do; and the reason of the signal of the client.
   */
  async run<T>(work: () => Promise<T>, client: CallingClient): Promise<T> {
    client.gone.throwIfAborted();
    const leave = this.places.take(client);
    if (typeof leave === 'string') throw this.refusal(leave);
    try {
      return await within({ signals: [client.gone] }, (gone) => this.atItsTurn(work, client.name, gone));
    } finally {
      leave();
    }
  }

  private async atItsTurn<T>(work: () => Promise<T>, name: string, gone: AbortSignal): Promise<T> {
    // Those that wait have as many under way as they may, or all have.
    if (this.mayBegin(name)) this.count(name, 1);
    else await this.turn(name, gone);
    try {
      gone.throwIfAborted();
      return await work();
    } finally {
      this.count(name, -1);
      this.next();
    }
  }

  private mayBegin(name: string): boolean {
    return this.allUnderWay < this.atOnce.all && (this.underWay.get(name) ?? 0) < this.atOnce.each;
  }

  private count(name: string, by: 1 | -1): void {
    this.allUnderWay += by;
    addTo(this.underWay, name, by);
  }

  /** Resolves when it has its turn, which it must take at once; never, if the client leaves before. */
  private turn(name: string, gone: AbortSignal): Promise<void> {
    return new Promise((begin) => {
      const own = this.waiting.get(name) ?? [];
      this.waiting.set(name, own);
      own.push(begin);
      gone.addEventListener('abort', () => this.forget(name, begin), { once: true });
    });
  }

  private next(): void {
    for (const [name, [begin, ...others]] of this.waiting) {
      if (!this.mayBegin(name)) continue;
      // Its next request waits behind those of all others.
      this.waiting.delete(name);
      if (others.length > 0) this.waiting.set(name, others);
      this.count(name, 1);
      begin!();
      return;
    }
  }

  private forget(name: string, begin: () => void): void {
    const others = (this.waiting.get(name) ?? []).filter((other) => other !== begin);
    if (others.length > 0) this.waiting.set(name, others);
    else this.waiting.delete(name);
  }

  private refusal(reached: 'each' | 'all'): ProblemException {
    const { all, kept, each } = this.places.limits;
    const others = kept > 0 ? `; ${all - kept} is the most of all callers that are not operators` : '';
    return new ProblemException(
      {
        code: reached === 'all' ? 'busy' : 'too-many-at-once',
        title: `Too many ${this.what} at once`,
        status: reached === 'all' ? 503 : 429,
        detail:
          reached === 'all'
            ? `${all} ${this.what} are in progress or waiting${others}.`
            : `${each} ${this.what} of this caller are in progress or waiting.`,
        remedy: 'Send the request again in a few seconds.',
        retryAfterSeconds: 5,
      },
      { 'Retry-After': '5' },
    );
  }
}

/** How many may be there at once. */
interface PlaceLimits {
  /** Of all callers together. */
  all: number;
  /** Of these, places that only operators may take. */
  kept: number;
  /** Of one caller that is no operator. */
  each: number;
}

/** A limited number of places: no caller takes all of them, and some are kept for operators. */
export class CallerPlaces {
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
    addTo(this.others, name, by);
  }
}

/** Keeps no entry of a caller that has none. */
function addTo(counts: Map<string, number>, name: string, by: 1 | -1): void {
  const count = (counts.get(name) ?? 0) + by;
  if (count === 0) counts.delete(name);
  else counts.set(name, count);
}
