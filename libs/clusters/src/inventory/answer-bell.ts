import { inboundTopics } from '@curtail/contracts/events';
import type { WakeListener } from '@curtail/event-store';

/** How often to look without having been woken. */
const lookEveryMs = 250;

/** Wakes those who wait for answers to evictions: by the consumer of this process, and by those of others through `wake`. */
export class AnswerBell {
  private readonly waiting = new Map<string, Set<() => void>>();

  constructor(wake?: Pick<WakeListener, 'onWake'>) {
    wake?.onWake((topics) => {
      if (topics.length === 0 || topics.includes(inboundTopics.evictionAnswers)) this.ring();
    });
  }

  /** @param evictionIds what was answered; absent: anything may have been. */
  ring(evictionIds: Iterable<string> = [...this.waiting.keys()]): void {
    for (const id of evictionIds) for (const wake of this.waiting.get(id) ?? []) wake();
  }

  /**
   * Looks whenever it is rung, and now and then, until there is something.
   *
   * @param until by `performance.now()`
   * @returns undefined if there is nothing by then.
   */
  async untilAnswered<T>(
    evictionId: string,
    until: number,
    look: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    let rung = false;
    let wakeUp = () => {};
    const wake = () => {
      rung = true;
      wakeUp();
    };
    const wakers = this.waiting.get(evictionId) ?? new Set();
    this.waiting.set(evictionId, wakers.add(wake));
    try {
      for (;;) {
        rung = false;
        const found = await look();
        const left = until - performance.now();
        if (found !== undefined || left <= 0) return found;
        if (rung) continue;
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, Math.min(lookEveryMs, left));
          wakeUp = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    } finally {
      wakers.delete(wake);
      if (wakers.size === 0) this.waiting.delete(evictionId);
    }
  }
}
