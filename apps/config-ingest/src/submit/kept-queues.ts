import type { DataSource } from 'typeorm';
import type { QueueInForce } from '#clusters';
import type { Tx } from '#event-store';

/** Of all partitions together. */
const mostQueues = 200_000;

interface Kept {
  /** The transaction that has written the row of the partition. */
  writtenBy: string;
  queues: readonly QueueInForce[];
}

/**
 * The queues that this process has put in force, so that the next configuration need not read them back. The row of the partition, read
 * under the lock of its configurations, shows whether they still are: every configuration updates that row, so the transaction that last wrote
 * it (`xmin`) differs after a configuration of any process, and after a rollback of this one.
 */
class KeptQueues {
  /** In the order of their last use. */
  private readonly kept = new Map<string, Kept>();
  private size = 0;

  has(partition: string): boolean {
    return this.kept.has(partition);
  }

  /** @returns undefined if others are, or may be, in force. */
  find(partition: string, writtenBy: string | null): readonly QueueInForce[] | undefined {
    const kept = this.kept.get(partition);
    if (kept === undefined) return undefined;
    if (kept.writtenBy === writtenBy) {
      this.keep(partition, kept);
      return kept.queues;
    }
    this.drop(partition);
    return undefined;
  }

  keep(partition: string, kept: Kept): void {
    this.drop(partition);
    if (kept.queues.length > mostQueues) return;
    this.kept.set(partition, kept);
    this.size += kept.queues.length;
    for (const [oldest] of this.kept) {
      if (this.size <= mostQueues) return;
      this.drop(oldest);
    }
  }

  private drop(partition: string): void {
    this.size -= this.kept.get(partition)?.queues.length ?? 0;
    this.kept.delete(partition);
  }
}

const ofDatabases = new WeakMap<DataSource, KeptQueues>();

/** Those of the database of a transaction. */
export function keptQueuesOf({ connection }: Tx): KeptQueues {
  const known = ofDatabases.get(connection) ?? new KeptQueues();
  ofDatabases.set(connection, known);
  return known;
}
