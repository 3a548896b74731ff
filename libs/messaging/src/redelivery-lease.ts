import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { isLeaseOver, leaseUntil } from '#event-store';

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
  async take(): Promise<boolean> {
    const [, taken] = await this.database.query<[unknown, number]>(
      `UPDATE subscriptions
       SET redeliverer = $2, redeliverer_until = ${leaseUntil('$3')}
       WHERE name = $1 AND (redeliverer IS NOT DISTINCT FROM $2 OR ${isLeaseOver('redeliverer_until')})`,
      [this.consumer, this.id, leaseMs],
    );
    return taken === 1;
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
  async giveUp(): Promise<void> {
    await this.database.query(
      'UPDATE subscriptions SET redeliverer_until = NULL WHERE name = $1 AND redeliverer = $2',
      [this.consumer, this.id],
    );
  }
}
