import { constants } from 'node:os';

/** Why everything is to end. */
export type Reason = { signal: NodeJS.Signals } | { failure: string };

const signals: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Waits for a signal, or for a failure that ends everything; the first counts. A second signal ends this process at once. */
export class Ending {
  readonly asked: Promise<void>;
  private resolve: () => void = () => {};
  private why: Reason | undefined;

  constructor() {
    this.asked = new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  get reason(): Reason | undefined {
    return this.why;
  }

  listen(): void {
    let received = 0;
    for (const signal of signals) {
      process.on(signal, () => {
        received += 1;
        // All that runs is on a leash, and ends with this process.
        if (received > 1) process.exit(128 + constants.signals[signal]);
        this.ask({ signal });
      });
    }
  }

  ask(reason: Reason): void {
    this.why ??= reason;
    this.resolve();
  }
}
