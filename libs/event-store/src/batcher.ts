interface Waiting<Request, Answer> {
  request: Request;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** A larger statement would delay later requests for too long. */
const usuallyAtMost = 200;

/**
 * Answers many requests with one statement. Requests that arrive while one is under way are batched into the next: many
 * at once share round trips, and a single one waits for no other. The statement that answers a request always begins
 * after the request.
 */
export class Batcher<Request, Answer> {
  private gathered: Waiting<Request, Answer>[] = [];
  private working = false;

  private readonly atMost: number;
  private readonly ifItFails: 'each-alone' | 'all-fail';

  /**
   * @param fulfil returns the answers in the order of the requests.
   * @param options.atMost the maximum number of requests in one statement.
   * @param options.ifItFails `each-alone`: the requests are repeated one by one, so that only the failing ones fail.
   * `all-fail`: none is repeated, for requests that may have taken effect despite the failure, such as a commit that
   * was not confirmed.
   */
  constructor(
    private readonly fulfil: (requests: Request[]) => Promise<Answer[]>,
    options: { atMost?: number; ifItFails?: 'each-alone' | 'all-fail' } = {},
  ) {
    this.atMost = options.atMost ?? usuallyAtMost;
    this.ifItFails = options.ifItFails ?? 'each-alone';
  }

  /** @throws what `fulfil` throws for this request alone. */
  ask(request: Request): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.gathered.push({ request, resolve, reject });
      if (this.working) return;
      this.working = true;
      // Simultaneous requests share the first statement, too.
      queueMicrotask(() => void this.work());
    });
  }

  private async work(): Promise<void> {
    while (this.gathered.length > 0) await this.fulfilAll(this.gathered.splice(0, this.atMost));
    this.working = false;
  }

  private async fulfilAll(waiting: Waiting<Request, Answer>[]): Promise<void> {
    try {
      const answers = await this.fulfil(waiting.map(({ request }) => request));
      waiting.forEach(({ resolve }, i) => void resolve(answers[i]!));
    } catch (error) {
      if (waiting.length === 1 || this.ifItFails === 'all-fail')
        for (const { reject } of waiting) reject(error);
      // One of them failed: each is repeated alone.
      else for (const one of waiting) await this.fulfilAll([one]);
    }
  }
}
