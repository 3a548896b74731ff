import { within } from '@curtail/waiting';
import { ProblemException } from '../problems/problem-exception.js';

/**
 * Runs large pieces of work one after the other, in the order of the requests. Only a limited number may wait or be
 * under way; others are rejected, since each keeps its input in memory.
 */
export class OneAtATime {
  private asked = 0;
  private last: Promise<unknown> = Promise.resolve();

  /** @param what the rejected work, in the plural: `large configurations`. */
  constructor(
    private readonly what: string,
    private readonly most: number,
  ) {}

  /**
   * @param signal of the caller: work that is aborted while it waits never runs.
   * @throws ProblemException 503 if too many wait already, and the reason of `signal`.
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
      return await within({ signals: [signal] }, () => result);
    } finally {
      // A question aborted while it waits is skipped at its turn, and takes no other's place until then.
      this.asked--;
    }
  }

  private busy(): ProblemException {
    return new ProblemException(
      {
        code: 'busy',
        title: `Too many ${this.what} at once`,
        status: 503,
        detail: `${this.most} ${this.what} are in progress or waiting.`,
        remedy: 'Send the request again in a few seconds.',
        retryAfterSeconds: 5,
      },
      { 'Retry-After': '5' },
    );
  }
}
