interface Waiting<Wish, Answer> {
  wish: Wish;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** A statement for more would keep those that come meanwhile waiting for long. */
const usuallyAtMost = 200;

/**
 * Fulfils many wishes with one statement. While one is under way what comes meanwhile gathers, and goes together into the
 * next: with many at once they share round trips, and one alone waits for nobody. What answers a wish was asked for after it
 * came, never before.
 */
export class Together<Wish, Answer> {
  private gathered: Waiting<Wish, Answer>[] = [];
  private working = false;

  /** @param fulfil gives the answers in the order of the wishes. Where it fails, none of them has had any effect. */
  constructor(
    private readonly fulfil: (wishes: Wish[]) => Promise<Answer[]>,
    private readonly atMost = usuallyAtMost,
  ) {}

  /** @throws what `fulfil` throws for this wish alone. */
  ask(wish: Wish): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.gathered.push({ wish, resolve, reject });
      if (this.working) return;
      this.working = true;
      // All that is asked for in one go shares the first statement, too.
      queueMicrotask(() => void this.work());
    });
  }

  private async work(): Promise<void> {
    while (this.gathered.length > 0) await this.fulfilAll(this.gathered.splice(0, this.atMost));
    this.working = false;
  }

  private async fulfilAll(waiting: Waiting<Wish, Answer>[]): Promise<void> {
    try {
      const answers = await this.fulfil(waiting.map(({ wish }) => wish));
      waiting.forEach(({ resolve }, i) => void resolve(answers[i]!));
    } catch (error) {
      if (waiting.length === 1) waiting[0]!.reject(error);
      // One of them is to blame; which, each finds out alone.
      else for (const one of waiting) await this.fulfilAll([one]);
    }
  }
}
