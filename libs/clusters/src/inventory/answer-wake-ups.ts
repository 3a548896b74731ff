import { inboundTopics } from '#contracts/events';
import type { WakeListener } from '#event-store';
import { Wakeable } from '#waiting';

/** How often to check without a wake-up. */
const checkEveryMs = 250;

/** Wakes callers that wait for answers to evictions. The consumer of this process wakes them directly, those of others through `wake`. */
export class AnswerWakeUps {
  private readonly waiting = new Map<string, Set<Wakeable>>();

  constructor(wake?: Pick<WakeListener, 'onWake'>) {
    wake?.onWake((topics) => {
      if (topics.length === 0 || topics.includes(inboundTopics.evictionAnswers)) this.wake();
    });
  }

  /** @param evictionIds the answered evictions; absent: any of them may have been answered. */
  wake(evictionIds: Iterable<string> = [...this.waiting.keys()]): void {
    for (const id of evictionIds) for (const waker of this.waiting.get(id) ?? []) waker.wake();
  }

  /**
   * Calls `check` at each wake-up, and at least every `checkEveryMs`, until it returns a value.
   *
   * @param until by `performance.now()`
   * @returns undefined if there is no value by then.
   */
  async untilAnswered<T>(
    evictionId: string,
    until: number,
    check: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const waker = new Wakeable();
    const wakers = this.waiting.get(evictionId) ?? new Set();
    this.waiting.set(evictionId, wakers.add(waker));
    try {
      for (;;) {
        waker.forget();
        const found = await check();
        const left = until - performance.now();
        if (found !== undefined || left <= 0) return found;
        await waker.sleep(Math.min(checkEveryMs, left));
      }
    } finally {
      wakers.delete(waker);
      if (wakers.size === 0) this.waiting.delete(evictionId);
    }
  }
}
