/**
 * Sends heartbeats to the broker during a long batch. The broker's error is thrown between two transactions: a
 * rebalance of the group is no reason to interrupt one.
 */
export class Heartbeats {
  private readonly timer: NodeJS.Timeout;
  private refusal: Error | undefined;
  private beating = false;

  constructor(
    private readonly heartbeat: () => Promise<void>,
    everyMs: number,
  ) {
    this.timer = setInterval(() => void this.send(), everyMs);
  }

  /** @throws the broker's answer to a heartbeat. */
  check(): void {
    if (this.refusal) throw this.refusal;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async send(): Promise<void> {
    if (this.beating || this.refusal) return;
    this.beating = true;
    try {
      await this.heartbeat();
    } catch (error) {
      this.refusal = error as Error;
    } finally {
      this.beating = false;
    }
  }
}
