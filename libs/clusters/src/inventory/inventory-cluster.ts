import type { DataSource, EntityManager } from 'typeorm';
import {
  type ClusterSnapshot,
  type DisruptionBudget,
  type SnapshotAllocation,
  withAncestors,
} from '#contracts';
import type { Tx } from '#event-store';
import type {
  AheadOfPlan,
  ClusterDriver,
  EvictionAnnouncement,
  EvictionAnswer,
  EvictionGate,
  EvictionRequest,
  ListQuery,
  LiveGang,
  RunningApplication,
  SnapshotScope,
} from '../driver.js';
import { ClusterInTables } from '../tables/cluster-in-tables.js';
import { isLarge, isWorthReadingAhead, readLarge } from '../tables/large-reads.js';
import { LiveLookups } from '../tables/live-lookups.js';
import {
  ALLOCATION_COLUMNS,
  type AllocationRow,
  type ApplicationRow,
  budgetsOf,
  type NodeRow,
  namedBudgets,
  toAllocations,
  toApplication,
  toGangs,
  toNode,
} from '../tables/rows.js';
import { runningApplications } from '../tables/running-applications.js';
import { allocationsHeld, listedBelow, readListPage } from '../tables/statements.js';
import { type VersionTables, workVersions } from '../tables/work-versions.js';
import { assertInventoryKnown, assertReportsApplied } from './assert-known.js';
import { announceEvictions } from './eviction-announcements.js';
import type { EvictionRequests } from './eviction-requests.js';
import { isOpen, type OpenRequest, openRequests, withRequested } from './eviction-table.js';
import {
  ALLOCATIONS_QUERY,
  APPLICATION_QUERY,
  APPLICATIONS_QUERY,
  BUDGETS_LEFT_QUERY,
  BUDGETS_QUERY,
  COUNTED,
  GANGS_QUERY,
  LARGE_QUERIES,
  NODE_QUERY,
  NODES_QUERY,
  RESOURCE_TYPES_QUERY,
  USAGE_QUERY,
} from './queries.js';
import type { ReportsWatermark } from './reports-watermark.js';

/** While the platform may still carry out a request, its victim counts as leaving. $3 the moment or null. */
const VERSIONS: VersionTables = {
  prefix: 'inventory',
  isThere: (row) => `NOT ${row}.gone`,
  changesByItself: 'false',
  isUnderWay: `EXISTS (SELECT FROM inventory_evictions WHERE partition = $1 AND answer IS NULL AND ${isOpen('$3')})`,
};

export interface InventoryOptions {
  /** Seconds without a report after which nothing is planned or evicted in a partition. */
  staleSeconds: number;
  /** Absent: reports are applied as they are sent. */
  watermark?: ReportsWatermark | undefined;
  /** For tests, in place of the clock of the database. */
  now?: () => Date;
}

/**
 * A cluster known through the reports of its scheduler (`InventoryReports` writes the tables), which evicts on request
 * (`EvictionRequests`). An allocation is gone when the scheduler reports its release.
 */
export class InventoryCluster extends ClusterInTables implements ClusterDriver {
  private readonly staleSeconds: number;
  private readonly watermark: InventoryOptions['watermark'];
  protected readonly live = new LiveLookups({
    allocations: (partitions, ids) =>
      this.reads.query(
        `SELECT partition, ${ALLOCATION_COLUMNS} FROM inventory_allocations
         JOIN unnest($1::text[], $2::text[]) AS wanted (partition, id) USING (partition, id) WHERE NOT gone`,
        [partitions, ids],
      ),
    usage: (partitions, queues) => this.reads.query(USAGE_QUERY, [partitions, queues]),
    application: (partition, id) => this.reads.query(APPLICATION_QUERY, [partition, id]),
    node: (partition, id) => this.reads.query(NODE_QUERY, [partition, id]),
  });

  constructor(
    dataSource: DataSource,
    private readonly requests: EvictionRequests,
    { staleSeconds, watermark, now }: InventoryOptions,
  ) {
    super(dataSource, 'inventory', now);
    this.staleSeconds = staleSeconds;
    this.watermark = watermark;
  }

  /** @throws InventoryUnknown also while reports that were on the bus when this was called are not applied. */
  async assertKnown(partition: string): Promise<void> {
    const gapAt = await assertReportsApplied(this.watermark);
    await assertInventoryKnown(this.dataSource, partition, this.freshness(gapAt));
  }

  /**
   * Its `takenAt` is the time of the scheduler's last report, by its clock, since later changes are unknown: while the scheduler is
   * silent, no starvation and no wait grows.
   *
   * @throws InventoryUnknown where `assertKnown` does.
   */
  snapshot(scope: SnapshotScope): Promise<ClusterSnapshot> {
    return this.takeInTurn(scope, false);
  }

  private async takeInTurn(scope: SnapshotScope, isAhead: boolean): Promise<ClusterSnapshot> {
    const { partition, queue = 'root' } = scope;
    // Before each transaction: waiting for its turn takes time, in which reports may get lost.
    const take = async (began?: number) => {
      const gapAt = await assertReportsApplied(this.watermark);
      return this.dataSource.transaction('REPEATABLE READ', (tx) =>
        this.take(tx, { ...scope, queue }, { gapAt, began, isAhead }),
      );
    };
    return (await take()) ?? this.kept.inTurn(partition, queue, async (began) => (await take(began))!);
  }

  /**
   * @param how.began before the transaction, where it is the turn of this reader.
   * @returns undefined if it is large, and not the turn.
   */
  private async take(
    manager: EntityManager,
    scope: { partition: string; queue: string; most?: number },
    { gapAt, began, isAhead }: { gapAt: Date | null; began?: number | undefined; isAhead: boolean },
  ): Promise<ClusterSnapshot | undefined> {
    const { partition, queue } = scope;
    const takenAt = await assertInventoryKnown(manager, partition, this.freshness(gapAt));
    if ((await isLarge(manager, scope, COUNTED, [partition, queue])) && began === undefined) return undefined;
    let others: Promise<[NodeRow[], ApplicationRow[]]> = Promise.resolve([[], []]);
    const known = await this.allocationsOf(manager, scope, { began, isAhead }, () => {
      others = Promise.all([
        manager.query<NodeRow[]>(NODES_QUERY, [partition]),
        manager.query<ApplicationRow[]>(APPLICATIONS_QUERY, [partition, queue]),
      ]);
      // They are awaited when the allocations are there.
      others.catch(() => {});
    });
    const [nodes, applications] = await others;
    const asked = await openRequests(manager, partition, this.now());
    const allocations = withRequested(known, asked);
    const named = namedBudgets(allocations);
    const budgets =
      named.length === 0 ? [] : await manager.query<DisruptionBudget[]>(BUDGETS_QUERY, [partition, named]);
    const paths = withAncestors(
      new Set([queue, ...[...applications, ...allocations].map((one) => one.queue)]),
    );
    return {
      apiVersion: 'curtail/v1',
      kind: 'ClusterSnapshot',
      takenAt: takenAt.toISOString(),
      partition,
      nodes: nodes.map(toNode),
      queues: paths.map((path) => ({ path })),
      applications: applications.map(toApplication),
      allocations,
      ...budgetsOf(named, budgets),
    };
  }

  private async allocationsOf(
    tx: EntityManager,
    scope: { partition: string; queue: string; most?: number },
    { began, isAhead }: { began: number | undefined; isAhead: boolean },
    meanwhile: () => void,
  ): Promise<SnapshotAllocation[]> {
    const parameters = [scope.partition, scope.queue];
    if (began !== undefined)
      return readLarge(tx, scope, LARGE_QUERIES, parameters, { known: this.kept, began, isAhead, meanwhile });
    const rows = tx.query<AllocationRow[]>(ALLOCATIONS_QUERY, parameters);
    meanwhile();
    return toAllocations(await rows);
  }

  async readAhead(scope: SnapshotScope, ahead: AheadOfPlan): Promise<ClusterSnapshot | undefined> {
    const { partition, queue = 'root' } = scope;
    const parameters = [partition, queue];
    const of = { partition, queue, ahead };
    if (!(await isWorthReadingAhead(this.dataSource, of, this.kept, COUNTED, parameters))) return undefined;
    return this.takeInTurn(scope, true);
  }

  async resourceTypes(partition: string): Promise<Set<string>> {
    const rows = await this.dataSource.query<{ type: string }[]>(RESOURCE_TYPES_QUERY, [partition]);
    return new Set(rows.map((row) => row.type));
  }

  versions(partition: string, queues: readonly string[]): Promise<Map<string, string>> {
    return workVersions(this.dataSource, VERSIONS, partition, queues, this.now());
  }

  held(partition: string, queues: readonly string[], tx?: Tx): Promise<Map<string, number>> {
    const which = { table: 'inventory_allocations', isThere: 'NOT gone' } as const;
    return allocationsHeld(tx ?? this.dataSource, which, partition, queues);
  }

  async budgetsLeft(partition: string, budgets: string[], but?: string): Promise<Map<string, number>> {
    if (budgets.length === 0) return new Map();
    const parameters = [partition, budgets, but ?? null, this.now()];
    const rows = await this.dataSource.query<{ id: string; left: number }[]>(BUDGETS_LEFT_QUERY, parameters);
    return new Map(rows.map(({ id, left }) => [id, left]));
  }

  async gangs(partition: string, applications: string[]): Promise<Map<string, LiveGang>> {
    return toGangs(await this.reads.query(GANGS_QUERY, [partition, applications, this.now()]));
  }

  async readyToGo(partition: string, allocations: string[]): Promise<Set<string>> {
    if (allocations.length === 0) return new Set();
    const rows = await this.dataSource.query<{ uid: string }[]>(
      `SELECT uid FROM inventory_allocations
       WHERE partition = $1 AND id = ANY ($2) AND ready_to_go AND NOT gone`,
      [partition, allocations],
    );
    return new Set(rows.map(({ uid }) => uid));
  }

  /** Returns at most 10,000 at a time; pass the last id as `after` for the next page. */
  async allocations(query: ListQuery): Promise<SnapshotAllocation[]> {
    const { partition, queue = 'root', after = '', limit } = query;
    const rows = await readListPage<AllocationRow>(
      this.dataSource,
      limit,
      `SELECT ${ALLOCATION_COLUMNS} FROM inventory_allocations
       WHERE partition = $1 AND ${listedBelow(queue, '$2')} AND id > $3 AND NOT gone
       ORDER BY id LIMIT $4`,
      [partition, queue, after, limit],
    );
    return toAllocations(rows);
  }

  async applications(query: ListQuery): Promise<RunningApplication[]> {
    const tables = { allocations: 'inventory_allocations', applications: 'inventory_applications' } as const;
    const ofPage = 'application = page.id';
    return runningApplications(this.dataSource, { ...tables, isThere: 'NOT gone', ofPage }, query);
  }

  /** @throws EvictionUnanswered if the platform does not answer in time: the outcome of the request is unknown. */
  evict(request: EvictionRequest, gate: EvictionGate): Promise<EvictionAnswer> {
    return this.requests.ask(request, gate);
  }

  carriedOut(evictionId: string): Promise<boolean | undefined> {
    return this.requests.carriedOut(evictionId);
  }

  openUntil(evictionId: string): Promise<Date | undefined> {
    return this.requests.openUntil(evictionId);
  }

  unanswered(evictionId: string): Promise<string | undefined> {
    return this.requests.unanswered(evictionId);
  }

  requested(partition: string): Promise<OpenRequest[]> {
    return openRequests(this.dataSource, partition, this.now());
  }

  announce(announcements: EvictionAnnouncement[]): Promise<void> {
    return announceEvictions(this.dataSource, announcements, this.now());
  }

  private freshness(gapAt: Date | null) {
    return { staleSeconds: this.staleSeconds, gapAt, now: this.now() };
  }
}
