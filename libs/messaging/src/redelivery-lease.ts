import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { giveUpRedelivery, takeRedelivery } from './cursor-table.js';

const leaseMs = 30_000;

/**
 * The right to deliver events from the log to a consumer: one process at a time. Two that do it at once would waste
 * work and change nothing, since the inbox has each event; so work under way is never interrupted. But an event that
 * crashes processes is counted by those that begin it one after the other (`Attempts`), which is why the right is
 * renewed while events are handled. The clock is that of the database.
 */
export class RedeliveryLease {
  private readonly id = randomUUID();

  constructor(
    private readonly database: DataSource,
    private readonly consumer: string,
  ) {}

  /** Takes or extends it. @returns false while another process has it. */
  take(): Promise<boolean> {
    return takeRedelivery(this.database, this.consumer, { owner: this.id, leaseMs });
  }

  /** Renews it until `work` ends. A lease that cannot be renewed is lost in the end, which only wastes work. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const renewal = setInterval(() => void this.take().catch(() => {}), leaseMs / 3);
    try {
      return await work();
    } finally {
      clearInterval(renewal);
    }
  }

  /** Others may take it at once. */
  giveUp(): Promise<void> {
    return giveUpRedelivery(this.database, this.consumer, this.id);
  }
}
