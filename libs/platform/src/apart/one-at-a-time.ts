import { ProblemException } from '../problems/problem-exception.js';

/**
 * Large pieces of work, one after the other, in the order in which they were asked for. So many may wait or be under way; more are
 * turned away, since each keeps its input in memory.
 */
export class OneAtATime {
  private asked = 0;
  private last: Promise<unknown> = Promise.resolve();

  /** @param what is turned away, in the plural: `large configurations`. */
  constructor(
    private readonly what: string,
    private readonly most: number,
  ) {}

  /**
   * @param signal of the caller: work that is aborted while it waits gets no turn.
   * @throws ProblemException 503 if too many wait already, and what `signal` was aborted with.
   */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.asked >= this.most) throw this.busy();
    this.asked++;
    const result = this.last.then(() => {
      signal?.throwIfAborted();
      return work();
    });
    this.last = result.catch(() => {});
    try {
      return await (signal ? Promise.race([result, aborted(signal)]) : result);
    } finally {
      // A question aborted while it waits is forgotten at its turn, and takes no other's place until then.
      this.asked--;
    }
  }

  private busy(): ProblemException {
    return new ProblemException(
      {
        code: 'busy',
        title: `Too many ${this.what} at once`,
        status: 503,
        detail: `${this.most} ${this.what} are under way or wait for it.`,
        remedy: 'Send it again in some seconds.',
        retryAfterSeconds: 5,
      },
      { 'Retry-After': '5' },
    );
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
