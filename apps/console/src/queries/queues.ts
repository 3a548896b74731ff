import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import {
  assertPartition,
  CLUSTER_READER,
  type ClusterReader,
  type QueueUsage,
  unknownQueue,
} from '#clusters';
import {
  type ClusterShare,
  isWithin,
  nodeLabelsField,
  type Resources,
  resolveShares,
  withAncestors,
} from '#contracts';
import type { ListPage, QueueView } from '#contracts/api';
import { overBy } from '#enforcement';
import type { ProblemException } from '#platform';
import { READER_DATABASE } from '#runtime';
import type { ClockThatWaits } from '../waiting/statements.js';
import { Waiting } from '../waiting/waiting.js';
import type { QueryOf } from './list-query.js';
import {
  configuredQueues,
  notConfigured,
  type QueueRow as Row,
  recordedQueues,
  unlimitedQueues,
} from './queue-statements.js';

@Injectable()
export class Queues {
  constructor(
    @Inject(READER_DATABASE) private readonly db: DataSource,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
    private readonly waiting: Waiting,
  ) {}

  /** The queues of the configuration in force and those that hold work without being in it, by path, with their current usage. */
  async list(query: QueryOf<'queues'>): Promise<ListPage<QueueView>> {
    const rows = await configuredQueues(
      this.db,
      query.partition,
      query.queue ?? null,
      query.after ?? '',
      query.limit + 1,
    );
    const others = await this.unconfiguredOf(query);
    const all = [...rows, ...others].sort((a, b) => (a.queue < b.queue ? -1 : 1));
    const page = await this.shown(query.partition, all.slice(0, query.limit));
    const usage = await this.cluster.usage(
      query.partition,
      page.map((row) => row.queue),
    );
    return {
      items: page.map((row) => ({ ...row, ...(usage.get(row.queue) ?? { usage: {}, inFlight: {} }) })),
      ...(all.length > page.length ? { next: page.at(-1)!.queue } : {}),
    };
  }

  /** Of a page of the list, the queues that hold work and are not in the configuration in force. None, if there is no configuration. */
  private async unconfiguredOf({ partition, queue, after, limit }: QueryOf<'queues'>): Promise<Row[]> {
    const withWork = withAncestors(await this.cluster.queuesWithWork(partition));
    const wanted = withWork.filter(
      (path) => (queue === undefined || isWithin(path, queue)) && path > (after ?? ''),
    );
    if (wanted.length === 0) return [];
    const found = await notConfigured(this.db, partition, wanted, limit + 1);
    const paths = found.map(({ path }) => path);
    const held = await this.cluster.held(partition, paths);
    const rows = paths.length === 0 ? [] : await this.unlimited(partition, paths);
    return rows.flatMap((row) => {
      const allocations = held.get(row.queue);
      return allocations === undefined ? [] : [{ ...row, configured: false, allocations }];
    });
  }

  /** Queues without limits, with what clocks, runs and stops there are. */
  private unlimited(partition: string, paths: readonly string[]): Promise<Row[]> {
    return unlimitedQueues(this.db, partition, paths);
  }

  /** Resolves shares of the cluster to current amounts, and adds when runs start. */
  private async shown(
    partition: string,
    rows: readonly Row[],
  ): Promise<Omit<QueueView, 'usage' | 'inFlight'>[]> {
    const size = rows.some((row) => row.clusterShare) ? await this.cluster.capacity(partition) : {};
    const clocks = await this.waiting.ofClocks(
      rows.flatMap(({ queue, clock }): ClockThatWaits[] => (clock ? [{ partition, queue, ...clock }] : [])),
    );
    const starts = new Map(clocks.map((clock) => [clock.queue, clock]));
    return rows.map((row) => {
      const { clusterShare, nodeLabels, clock: _, ...view } = resolveShares(row, size);
      const { startsAt = null, waiting = null } = starts.get(row.queue) ?? {};
      return {
        ...view,
        startsAt,
        waiting,
        ...(clusterShare && { clusterShare }),
        ...nodeLabelsField(nodeLabels ?? []),
      };
    });
  }

  /** The queue and the application of an allocation that runs now; undefined if there is none with this id. */
  async ofAllocation(
    partition: string,
    id: string,
  ): Promise<{ queue: string; application: string } | undefined> {
    return this.cluster.allocation(partition, id);
  }

  /** A queue of the list. */
  async one(partition: string, path: string): Promise<QueueView | undefined> {
    const { items } = await this.list({ partition, queue: path, limit: 1 });
    return items.find((item) => item.queue === path);
  }

  /**
   * A queue of the configuration in force, or else what `unconfigured` returns.
   *
   * @throws ProblemException 404 for a queue that nothing is known of.
   */
  async known(partition: string, path: string): Promise<{ queue: QueueView; isConfigured: boolean }> {
    const listed = await this.one(partition, path);
    const queue = listed ?? (await this.unconfigured(partition, path));
    if (!queue) throw await this.unknown(partition, path);
    return { queue, isConfigured: queue.configured !== false };
  }

  /** The refusal of a queue that there is not. */
  unknown(partition: string, path: string): Promise<ProblemException> {
    return unknownQueue(this.db, partition, path);
  }

  /** @throws ProblemException 404 if there is no such partition. */
  assertPartition(partition: string): Promise<void> {
    return assertPartition(this.db, partition);
  }

  /**
   * A queue that the configuration in force does not have: one that was removed, or that a placement rule or a template made.
   *
   * @returns undefined if nothing runs in it and nothing is on record about it.
   */
  async unconfigured(partition: string, path: string): Promise<QueueView | undefined> {
    // Events of a partition have its name in the place of a queue.
    if (!isWithin(path, 'root')) return undefined;
    const used = (await this.cluster.usage(partition, [path])).get(path) ?? { usage: {}, inFlight: {} };
    const [allocations = 0] = (await this.cluster.held(partition, [path])).values();
    const rows = await recordedQueues(this.db, partition, [path]);
    const { known, ...row } = rows[0]!;
    const [view] = await this.shown(partition, [row]);
    return known || allocations > 0 ? { ...view!, ...used, configured: false, allocations } : undefined;
  }
}

/**
 * The usage of a queue above its quota, without work that is leaving; empty without a limit.
 *
 * @param size of the cluster, for a quota that is a share of it; `{}` if not known.
 */
export function aboveQuota(
  { max, clusterShare }: { max: Resources | null; clusterShare: ClusterShare | null },
  size: Resources,
  used: QueueUsage | undefined,
): Resources {
  const limit = resolveShares({ max, clusterShare, guaranteed: null }, size).max;
  return used && limit ? overBy(used, limit) : {};
}
