/**
 * Tells the broker during a long batch that its consumer is alive. The broker's answer is thrown between two transactions:
 * that the group is rebalancing is no reason to break one off.
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

  /** @throws what the broker answered to a heartbeat. */
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
