import { endingSignals, onEndingSignal } from '../../libs/platform/src/shutdown/shutdown.js';

/** Why everything is to end. */
export type Reason = { signal: NodeJS.Signals } | { failure: string };

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
    onEndingSignal((signal, again) => {
      // All that runs is on a leash, and ends with this process.
      if (again) process.exit(128 + endingSignals[signal]);
      this.ask({ signal });
    });
  }

  ask(reason: Reason): void {
    this.why ??= reason;
    this.resolve();
  }
}
