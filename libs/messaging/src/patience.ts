import type { Consumer } from './consumer.js';

/** Above this number of batches in a second, or above the number that its patience allows, a patient consumer batches events. */
const mostBusyBatches = 20;

/** Decides how long a consumer with `patienceMs` waits for more events: while batches follow each other, unless they are full. A single event does not wait. */
export class Patience {
  /** Batches of about the last second: each adds one, and time decreases the count. */
  private busy = { batches: 0, at: 0 };
  private readonly busyBatches: number;

  constructor(private readonly consumer: Pick<Consumer, 'patienceMs'>) {
    this.busyBatches = Math.min(mostBusyBatches, 1000 / (consumer.patienceMs ?? 1));
  }

  /** @param isFull there was no room for more. */
  noteBatch(isFull: boolean): void {
    const now = performance.now();
    const left = Math.max(0, this.busy.batches - ((now - this.busy.at) / 1000) * this.busyBatches);
    this.busy = { batches: isFull ? 0 : Math.min(left + 1, 2 * this.busyBatches), at: now };
  }

  /** The time before the next batch is read, in milliseconds. */
  get waitMs(): number {
    const { patienceMs = 0 } = this.consumer;
    if (this.busy.batches <= this.busyBatches) return 0;
    return Math.max(0, this.busy.at + patienceMs - performance.now());
  }
}
