import { Controller, Optional } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { inboundTopics } from '#contracts/events';
import type { KnownEvent, Tx } from '#event-store';
import { type ConsumerOptions, type Effects, EVENT_BUS_TRANSPORT } from '#messaging';
import { feedsOf } from './freshness.js';
import { gatherReports, isInventoryReport, type PartitionReports } from './gather-reports.js';
import { forgetEnded, mergeReports } from './merge-reports.js';
import {
  clusterOfPartition,
  keepCluster,
  loadSender,
  lockInventories,
  noteOtherCluster,
} from './partition-table.js';
import { noteFeeds, notePlatformClocks } from './senders.js';

const partitionOf = ({ data }: KnownEvent) => ('partition' in data ? String(data.partition) : undefined);

/** What ended a day ago need not be deleted to the second. */
const forgetEveryMs = 60_000;

/**
 * Of the running allocations: a whole listing that would remove a larger share is held. A cluster that has really lost them waits for its
 * next listing, a few minutes; a sender that is wrong has not ended a third of the work.
 */
const mostDropPercent = 30;

/** Writes the reports of platform services to the tables of the inventory. Any number of processes may run it. */
@Controller()
export class InventoryReports {
  /** When this process has deleted what ended long ago in each partition, by `performance.now()`. */
  private readonly forgottenAt = new Map<string, number>();

  /**
   * @param now for tests, in place of the clock of the database.
   * @param maxDropPercent for tests, in place of `mostDropPercent`.
   */
  constructor(
    @Optional() private readonly now?: () => Date,
    @Optional() private readonly maxDropPercent = mostDropPercent,
  ) {}

  @EventPattern(inboundTopics.inventory, EVENT_BUS_TRANSPORT, {
    name: 'inventory',
    batchSize: 1000,
    patienceMs: 200,
    keepsPlaces: true,
  } satisfies ConsumerOptions)
  async handle(events: KnownEvent[]): Promise<Effects | undefined> {
    const reports = events.filter(isInventoryReport);
    const gathered = gatherReports(reports);
    if (gathered.length === 0) return undefined;
    return async (tx) => {
      // Always in the same order, and before the clocks, as `EvictionAnswers` does: so transactions cannot deadlock.
      const partitions = [...new Set(gathered.map(({ partition }) => partition))].sort();
      // Without waiting for the answers: most of what a batch costs is waking up for each.
      await Promise.all([
        lockInventories(tx, partitions),
        notePlatformClocks(tx, reports, partitionOf, this.now?.() ?? null),
        this.takeAll(tx, partitions, gathered),
      ]);
      const forgotten: string[] = [];
      for (const partition of partitions) {
        if (this.isForgettingDue(partition) && (await forgetEnded(tx, partition))) forgotten.push(partition);
      }
      return () => {
        for (const partition of forgotten) this.forgottenAt.set(partition, performance.now());
      };
    };
  }

  private async takeAll(
    tx: Tx,
    partitions: readonly string[],
    gathered: readonly PartitionReports[],
  ): Promise<void> {
    for (const partition of partitions) {
      for (const reports of gathered) if (reports.partition === partition) await this.take(tx, reports);
    }
  }

  private isForgettingDue(partition: string): boolean {
    const last = this.forgottenAt.get(partition) ?? Number.NEGATIVE_INFINITY;
    return performance.now() - last >= forgetEveryMs;
  }

  /** A partition belongs to one cluster: the first one that names itself. Reports of others are ignored. */
  private async take(tx: Tx, reports: PartitionReports): Promise<void> {
    const { partition, cluster, headers } = reports;
    const now = this.now?.() ?? null;
    const [known, sender] = await Promise.all([
      cluster === undefined ? undefined : clusterOfPartition(tx, partition),
      loadSender(tx, partition),
    ]);
    if (cluster !== undefined && known !== undefined && known !== cluster) {
      await noteOtherCluster(tx, partition, { cluster, reports: headers.length, now });
      return noteFeeds(
        tx,
        feedsOf(partition, headers, () => 'other-cluster'),
        now,
      );
    }
    await mergeReports(tx, partition, sender, reports, { maxDropPercent: this.maxDropPercent, now });
    if (cluster !== undefined && known === undefined) await keepCluster(tx, partition, cluster);
  }
}
