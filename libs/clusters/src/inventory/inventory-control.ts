import type { DataSource } from 'typeorm';
import { counted, ofPartition, type RunbookCode, shownCluster, withRunbook } from '#contracts';
import type { HeldListing, InventoryNotice, InventoryStatus, PartitionStatus } from '#contracts/api';
import type { Tx } from '#event-store';
import { configuredPartitions } from '../planning-view/in-force.js';
import { checkReports, reportsWaitMs } from './assert-known.js';
import { type FeedFinding, notKnown } from './freshness.js';
import { applyListing, forgetSequences, queuesOfDrops, readHeldListing } from './listing.js';
import { type KnownFreshness, lockInventory, readFreshness } from './partition-table.js';
import type { ReportsWatermark } from './reports-watermark.js';
import { type ClockSkew, clockSkew, clockSkews } from './senders.js';

export interface InventoryControlOptions {
  staleSeconds: number;
  watermark?: ReportsWatermark | undefined;
}

const queuesShown = 10;

/** A notice about a partition, before the partition is named in it. */
type PartitionNotice = Omit<InventoryNotice, 'about' | 'runbook'> & { code: RunbookCode };

/** A bus that did not answer is not asked again for this long: many answers for people need it at once. */
const silentForMs = 2000;

type Checked = Awaited<ReturnType<typeof checkReports>>;

/** The status of scheduler reports for operators, and the commands to repair it. */
export class InventoryControl {
  /** Of a bus that did not answer. */
  private failed: { found: Checked; at: number } | undefined;

  constructor(
    private readonly db: DataSource,
    private readonly options: InventoryControlOptions,
  ) {}

  /**
   * @param partition absent: all that are configured or have reports.
   * @param withinMs how long to wait for the bus; absent: as long as planners do.
   */
  async status(partition?: string, withinMs?: number): Promise<InventoryStatus> {
    const { staleSeconds } = this.options;
    const { why, gapAt, unread } = await this.reports(withinMs);
    const rows = await readFreshness(this.db, partition ?? null, staleSeconds, null);
    const byName = new Map(rows.map((row) => [row.partition, row]));
    const names = partition === undefined ? await configuredPartitions(this.db) : [partition];
    const skews = await clockSkews(this.db, partition);
    const held = await this.held(rows);
    const items: PartitionStatus[] = [];
    for (const name of [...new Set([...names, ...byName.keys()])].sort()) {
      const row = byName.get(name);
      const findings = [...(why ? [why] : []), ...notKnown(name, row, { staleSeconds, gapAt })];
      items.push({
        partition: name,
        known: findings.length === 0,
        source: row?.source ?? null,
        lastReportAt: row?.lastReportAt.toISOString() ?? null,
        listedAt: row?.listedAt?.toISOString() ?? null,
        listedSequence: row?.listedSequence ?? 0,
        newestSequence: row?.newestSequence ?? 0,
        held: held.get(name) ?? null,
        notices: [
          ...findings.map(noticeOf),
          ...otherClusterOf(row),
          ...droppedOf(row),
          ...skewsOf(name, skews),
        ].map(({ code, message, ...rest }) => ({
          code,
          message,
          about: ofPartition(name),
          ...rest,
          ...withRunbook(code),
        })),
      });
    }
    return { items, unread };
  }

  /**
   * Applies the held listing.
   *
   * @returns undefined if none is held.
   */
  async accept(
    tx: Tx,
    partition: string,
  ): Promise<{ sequence: number; drops: number; of: number } | undefined> {
    await lockInventory(tx, partition);
    const row = await readHeldListing(tx, partition);
    if (row === undefined) return undefined;
    await applyListing(tx, partition, row.sequence, null);
    return { ...row, sequence: Number(row.sequence) };
  }

  /**
   * Forgets all sequences and the cluster of the partition, so the next report of any sender is accepted. The known work stays, but is
   * neither planned nor evicted before the next whole listing.
   *
   * @returns the previous sequences; undefined if the partition has no reports.
   */
  async reset(
    tx: Tx,
    partition: string,
  ): Promise<{ listedSequence: number; newestSequence: number } | undefined> {
    await lockInventory(tx, partition);
    return forgetSequences(tx, partition);
  }

  private async reports(withinMs: number | undefined): Promise<Checked> {
    const { watermark } = this.options;
    if (!watermark) return { why: undefined, gapAt: null, unread: [] };
    if (this.failed && performance.now() - this.failed.at < silentForMs) return this.failed.found;
    const found = await checkReports(watermark, Math.min(withinMs ?? reportsWaitMs, reportsWaitMs), withinMs);
    this.failed = found.why?.code === 'bus-unreachable' ? { found, at: performance.now() } : undefined;
    return found;
  }

  /** The held listings, by partition. */
  private async held(rows: readonly KnownFreshness[]): Promise<Map<string, HeldListing>> {
    const holding = rows.filter(({ heldSequence }) => heldSequence !== null);
    if (holding.length === 0) return new Map();
    const queues = await queuesOfDrops(this.db, holding, queuesShown);
    return new Map(
      holding.map(({ partition, heldSequence, heldSince, heldDrops, heldOf }): [string, HeldListing] => [
        partition,
        {
          sequence: heldSequence!,
          since: heldSince!.toISOString(),
          drops: heldDrops ?? 0,
          of: heldOf ?? 0,
          queues: queues
            .filter((row) => row.partition === partition)
            .map(({ queue, drops }) => ({ queue, drops })),
        },
      ]),
    );
  }
}

function noticeOf({ code, message, remedy, since, count, source }: FeedFinding): PartitionNotice {
  return {
    code,
    message,
    remedy,
    since: since?.toISOString() ?? null,
    count: count ?? null,
    source: source ?? null,
  };
}

/** A wrong clock does not invalidate reports, but makes a platform miss deadlines of evictions. */
function skewsOf(partition: string, skews: readonly ClockSkew[]): PartitionNotice[] {
  return skews
    .filter((skew) => skew.partition === partition)
    .map(({ source, message }) => {
      const remedy =
        'Set the clock of the platform service by NTP; until then it may refuse evictions as too late.';
      return { code: clockSkew, message, remedy, since: null, count: null, source: source || null };
    });
}

/** Evictions continue with what the first cluster reports. */
function otherClusterOf(row: KnownFreshness | undefined): PartitionNotice[] {
  if (!row?.otherSince) return [];
  const { partition, otherSince, otherCount } = row;
  const [own, other] = [row.cluster, row.otherCluster].map((cluster) => shownCluster(cluster ?? ''));
  return [
    {
      code: 'other-cluster',
      message:
        `${otherCount === 1 ? 'one report' : `${otherCount} reports`} for partition ${partition} came from cluster ${other}, ` +
        `but the partition belongs to cluster ${own}: ${otherCount === 1 ? 'it was' : 'they were'} ignored`,
      remedy:
        'Give each cluster a partition of its own (CURTAIL_AGENT_PARTITION; a pool tree of YTsaurus names its partition: a Curtail of its own). ' +
        'If the other cluster is to take its place: ' +
        `stop the agents of the first one, run curtail inventory reset --partition ${partition}, then restart its agents`,
      since: otherSince.toISOString(),
      count: otherCount,
      source: null,
    },
  ];
}

/** Evictions continue with the state before the incomplete listing. */
function droppedOf(row: KnownFreshness | undefined): PartitionNotice[] {
  if (!row?.droppedSince) return [];
  const { partition, droppedSince, droppedSequence, droppedCount, source } = row;
  return [
    {
      code: 'listing-dropped',
      message:
        `${counted(droppedCount, 'listing')} of partition ${partition} never became complete ` +
        `and ${droppedCount === 1 ? 'was' : 'were'} dropped (the last one: ${droppedSequence})`,
      remedy: 'its scheduler must send all pages of one InventoryListed before it begins the next',
      since: droppedSince.toISOString(),
      count: droppedCount,
      source,
    },
  ];
}
