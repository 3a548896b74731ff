import type { DataSource } from 'typeorm';
import type { Resources, SnapshotAllocation } from '#contracts';
import { Batcher, OneWrite } from '#event-store';
import type { LiveApplication, LiveNode, QueueUsage } from '../driver.js';
import { KeptAllocations } from './kept-allocations.js';
import type { LiveLookups } from './live-lookups.js';
import { totalCapacities } from './statements.js';

/** What both clusters answer alike, from tables with the same columns. */
export abstract class ClusterInTables {
  protected readonly kept = new KeptAllocations();
  /** What a check needs of a victim is read with one write. */
  protected readonly reads: OneWrite;
  protected abstract readonly live: LiveLookups;
  /** Partitions that are asked for at the same time share a statement. */
  private readonly capacities: Batcher<string, Resources>;

  constructor(
    protected readonly dataSource: DataSource,
    readonly name: 'inventory' | 'simulated',
    private readonly clock: (() => Date) | undefined,
  ) {
    this.reads = new OneWrite(dataSource);
    this.capacities = new Batcher((partitions) => totalCapacities(dataSource, `${name}_nodes`, partitions));
  }

  capacity(partition: string): Promise<Resources> {
    return this.capacities.ask(partition);
  }

  usage(partition: string, queues: string[]): Promise<Map<string, QueueUsage>> {
    return this.live.usage(partition, queues);
  }

  async queuesWithWork(partition: string): Promise<string[]> {
    const rows = await this.dataSource.query<{ queue: string }[]>(
      `SELECT DISTINCT queue FROM ${this.name}_usage WHERE partition = $1 AND usage > 0 ORDER BY queue`,
      [partition],
    );
    return rows.map(({ queue }) => queue);
  }

  allocation(partition: string, id: string): Promise<SnapshotAllocation | undefined> {
    return this.live.allocation(partition, id);
  }

  application(partition: string, id: string): Promise<LiveApplication | undefined> {
    return this.live.application(partition, id);
  }

  node(partition: string, id: string): Promise<LiveNode | undefined> {
    return this.live.node(partition, id);
  }

  /** Null: the statement uses the clock of the database. */
  protected now(): Date | null {
    return this.clock?.() ?? null;
  }
}
