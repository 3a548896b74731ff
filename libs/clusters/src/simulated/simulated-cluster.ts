import type { DataSource } from 'typeorm';
import { type ClusterSnapshot, InputError, type SnapshotAllocation, withAncestors } from '#contracts';
import { Batcher, type Tx } from '#event-store';
import type {
  AheadOfPlan,
  ClusterDriver,
  EvictionAnnouncement,
  EvictionAnswer,
  EvictionGate,
  EvictionRequest,
  ListQuery,
  LiveGang,
  Nomination,
  RunningApplication,
  SnapshotScope,
} from '../driver.js';
import { ClusterInTables } from '../tables/cluster-in-tables.js';
import { isWorthReadingAhead, readLarge, rowsAtOnce } from '../tables/large-reads.js';
import { LiveLookups } from '../tables/live-lookups.js';
import {
  ALLOCATION_COLUMNS,
  type AllocationRow,
  budgetsOf,
  momentOf,
  namedBudgets,
  toAllocations,
  toGangs,
} from '../tables/rows.js';
import { runningApplications } from '../tables/running-applications.js';
import { allocationsHeld, listedBelow, readListPage } from '../tables/statements.js';
import { type VersionTables, workVersions } from '../tables/work-versions.js';
import { TooManyAllocations } from '../unknown-place.js';
import { answerEviction } from './eviction-answer.js';
import {
  announceTo,
  countRefusal,
  evictAtOnce,
  type GatedEviction,
  lockTarget,
  markReleasing,
} from './evictions.js';
import { APPLICATION_QUERY, GANGS_QUERY, NODE_QUERY, USAGE_QUERY } from './live-queries.js';
import { isThere } from './place.js';
import {
  COUNTED,
  LARGE_SIMULATED_QUERIES,
  OTHERS_QUERY,
  type OtherRows,
  SNAPSHOT_QUERY,
  SnapshotParts,
  type SnapshotRow,
} from './snapshot-query.js';
import { startPending } from './start-pending.js';
import { nominateFor } from './work.js';

const VERSIONS: VersionTables = {
  prefix: 'simulated',
  isThere: () => 'true',
  changesByItself: 'bool_or(a.gone_at IS NOT NULL)',
  isUnderWay: 'false',
};

const MOMENT = `SELECT ${momentOf('$1')} AS moment`;

/**
 * A cluster that is kept in PostgreSQL. The state of an allocation follows from its row and the time alone: running, then releasing
 * from the kill to `gone_at`, then gone. `SimulatedReaper` sweeps the rows of ended allocations; no answer depends on whether it has.
 *
 * Its time is that of the database, so that all processes agree on who is gone and when a snapshot was taken.
 */
export class SimulatedCluster extends ClusterInTables implements ClusterDriver {
  private readonly listeners = new Set<() => void>();
  protected readonly live = new LiveLookups({
    allocations: (partitions, ids) =>
      this.reads.query(
        `SELECT partition, ${ALLOCATION_COLUMNS} FROM simulated_allocations
         JOIN unnest($1::text[], $2::text[]) AS wanted (partition, id) USING (partition, id)
         WHERE ${isThere('$3')}`,
        [partitions, ids, this.now()],
      ),
    usage: (partitions, queues) => this.reads.query(USAGE_QUERY, [partitions, queues, this.now()]),
    application: (partition, id) => this.reads.query(APPLICATION_QUERY, [partition, id, this.now()]),
    node: (partition, id) => this.reads.query(NODE_QUERY, [partition, id, this.now()]),
  });
  private readonly kills = new Batcher(
    (evictions: GatedEviction[]) => evictAtOnce(this.dataSource, evictions, this.now()),
    // If an eviction that was committed after all were repeated, it would pass for the eviction of another caller.
    { ifItFails: 'all-fail' },
  );

  constructor(
    dataSource: DataSource,
    /** For tests, in place of the clock of the database. */
    clock?: () => Date,
  ) {
    super(dataSource, 'simulated', clock);
  }

  snapshot(scope: SnapshotScope): Promise<ClusterSnapshot> {
    return this.take(scope, false);
  }

  private async take(scope: SnapshotScope, isAhead: boolean): Promise<ClusterSnapshot> {
    const { partition, queue = 'root' } = scope;
    const parameters = [partition, queue, this.now()];
    // Only large queues are kept, so there is no need to count this one.
    const few = this.kept.has(partition, queue)
      ? undefined
      : await this.readFew({ ...scope, queue }, parameters);
    const parts = few ?? (await this.readLarge({ ...scope, queue }, parameters, isAhead));
    const { takenAt, nodes, applications, allocations, budgets } = parts;
    // An allocation is in the queue of its application, so these are all the queues there are.
    const paths = withAncestors([queue, ...new Set(applications.map((application) => application.queue))]);
    return {
      apiVersion: 'curtail/v1',
      kind: 'ClusterSnapshot',
      takenAt: takenAt.toISOString(),
      partition,
      nodes,
      queues: paths.map((path) => ({ path })),
      applications,
      allocations,
      ...budgetsOf(namedBudgets(allocations), budgets),
    };
  }

  /** @returns undefined if there are too many to read them at once. */
  private async readFew(
    { partition, queue, most = rowsAtOnce }: { partition: string; queue: string; most?: number },
    parameters: readonly unknown[],
  ): Promise<SnapshotParts | undefined> {
    const few = Math.min(most, rowsAtOnce);
    const parts = new SnapshotParts();
    for (const row of await this.dataSource.query<SnapshotRow[]>(SNAPSHOT_QUERY, [...parameters, few]))
      parts.add(row);
    if (parts.count <= few) return parts;
    if (few < rowsAtOnce) throw new TooManyAllocations(partition, queue, few);
    return undefined;
  }

  private readLarge(
    scope: { partition: string; queue: string; most?: number },
    parameters: readonly unknown[],
    isAhead: boolean,
  ): Promise<SnapshotParts> {
    const { partition, queue } = scope;
    return this.kept.inTurn(partition, queue, (began) =>
      this.dataSource.transaction('REPEATABLE READ', async (tx) => {
        const [{ moment }] = await tx.query<[{ moment: Date }]>(MOMENT, [parameters[2]]);
        const asOf = [partition, queue, moment];
        let others: Promise<OtherRows[]> = Promise.resolve([]);
        const meanwhile = () => {
          others = tx.query(OTHERS_QUERY, asOf);
          // It is awaited when the allocations are there.
          others.catch(() => {});
        };
        const from = { known: this.kept, began, isAhead, meanwhile };
        const allocations = await readLarge(tx, scope, LARGE_SIMULATED_QUERIES, asOf, from);
        const parts = new SnapshotParts();
        for (const { kind, things } of await others)
          for (const thing of things) parts.add({ kind, thing } as SnapshotRow);
        parts.allocations = allocations;
        return parts;
      }),
    );
  }

  async readAhead(scope: SnapshotScope, ahead: AheadOfPlan): Promise<ClusterSnapshot | undefined> {
    const { partition, queue = 'root' } = scope;
    const parameters = [partition, queue, this.now()];
    const of = { partition, queue, ahead };
    if (!(await isWorthReadingAhead(this.dataSource, of, this.kept, COUNTED, parameters))) return undefined;
    return this.take(scope, true);
  }

  async resourceTypes(partition: string): Promise<Set<string>> {
    const rows = await this.dataSource.query<{ type: string }[]>(
      `SELECT jsonb_object_keys(resources) AS type
       FROM (SELECT DISTINCT resources FROM simulated_allocations WHERE partition = $1) AS sizes
       UNION SELECT jsonb_object_keys(capacity) FROM simulated_nodes WHERE partition = $1
       UNION SELECT jsonb_object_keys(ask -> 'resources')
             FROM simulated_applications, jsonb_array_elements(pending) AS ask WHERE partition = $1`,
      [partition],
    );
    return new Set(rows.map((row) => row.type));
  }

  versions(partition: string, queues: readonly string[]): Promise<Map<string, string>> {
    return workVersions(this.dataSource, VERSIONS, partition, queues);
  }

  held(partition: string, queues: readonly string[], tx?: Tx): Promise<Map<string, number>> {
    const which = { table: 'simulated_allocations', isThere: isThere('$3') } as const;
    return allocationsHeld(tx ?? this.dataSource, which, partition, queues, this.now());
  }

  override async queuesWithWork(partition: string): Promise<string[]> {
    // Rows of allocations that have just ended may not be swept yet.
    const queues = await super.queuesWithWork(partition);
    const usage = await this.usage(partition, queues);
    return queues.filter((queue) => Object.keys(usage.get(queue)?.usage ?? {}).length > 0);
  }

  /** Evictions are taken off as they are carried out. */
  async budgetsLeft(partition: string, budgets: string[]): Promise<Map<string, number>> {
    if (budgets.length === 0) return new Map();
    const rows = await this.dataSource.query<{ id: string; allowed: number }[]>(
      'SELECT id, allowed FROM simulated_budgets WHERE partition = $1 AND id = ANY ($2)',
      [partition, budgets],
    );
    return new Map(rows.map(({ id, allowed }) => [id, allowed]));
  }

  async gangs(partition: string, applications: string[]): Promise<Map<string, LiveGang>> {
    return toGangs(await this.reads.query(GANGS_QUERY, [partition, applications, this.now()]));
  }

  /** Returns at most 10,000 at a time; pass the last id as `after` for the next page. */
  async allocations(query: ListQuery): Promise<SnapshotAllocation[]> {
    const { partition, queue = 'root', after = '', limit } = query;
    const rows = await readListPage<AllocationRow>(
      this.dataSource,
      limit,
      `SELECT ${ALLOCATION_COLUMNS} FROM simulated_allocations
       WHERE partition = $1 AND ${listedBelow(queue, '$2')} AND id > $3 AND ${isThere('$4')}
       ORDER BY id LIMIT $5`,
      [partition, queue, after, this.now(), limit],
    );
    return toAllocations(rows);
  }

  async applications(query: ListQuery): Promise<RunningApplication[]> {
    // An allocation is in the queue of its application.
    const ofPage = 'queue = page.queue AND application = page.id';
    const tables = { allocations: 'simulated_allocations', applications: 'simulated_applications' } as const;
    return runningApplications(
      this.dataSource,
      { ...tables, isThere: isThere('$5'), ofPage },
      query,
      this.now(),
    );
  }

  async evict(request: EvictionRequest, gate: EvictionGate): Promise<EvictionAnswer> {
    if (!Number.isFinite(request.graceSeconds) || request.graceSeconds < 0) {
      throw new InputError(
        'graceSeconds',
        `A grace period of ${request.graceSeconds} s is not possible: give 0 s or more.`,
      );
    }
    const usual = await this.kills.ask({ request, gate });
    if (usual) {
      if (usual.kind === 'accepted') for (const listener of this.listeners) listener();
      return usual;
    }
    const now = this.now();
    const decision = await this.dataSource.transaction(async (manager) => {
      const decided = answerEviction(await lockTarget(manager, request, now), request.uid);
      if (decided.change === 'none') return decided;
      const withheld = (await gate(manager, [request])).get(request.evictionId);
      if (withheld) return { change: 'none', answer: { kind: 'withheld', ...withheld } } as const;
      if (decided.change === 'kill') await markReleasing(manager, request, now);
      if (decided.change === 'refuse') await countRefusal(manager, request);
      return decided;
    });
    if (decision.change === 'kill') for (const listener of this.listeners) listener();
    return decision.answer;
  }

  /** The history has exactly the kills that were carried out. */
  async carriedOut(evictionId: string): Promise<boolean> {
    const found = await this.dataSource.query<unknown[]>(
      'SELECT 1 FROM simulated_evictions WHERE eviction_id = $1 LIMIT 1',
      [evictionId],
    );
    return found.length > 0;
  }

  async announce(announcements: EvictionAnnouncement[]): Promise<void> {
    if (await announceTo(this.dataSource, announcements, this.now())) {
      for (const listener of this.listeners) listener();
    }
  }

  async nominate(nominations: Nomination[]): Promise<void> {
    await nominateFor(this.dataSource, nominations);
  }

  /** Starts pending work that has room now (`start-pending.ts`); returns the number of started allocations. */
  async startPending(): Promise<number> {
    return startPending(this.dataSource, () => this.moment());
  }

  /** Removes the rows of allocations that are gone; returns their number. */
  async reap(): Promise<number> {
    const [, reaped] = await this.dataSource.query<[unknown[], number]>(
      `DELETE FROM simulated_allocations WHERE gone_at <= ${momentOf('$1')}`,
      [this.now()],
    );
    return reaped;
  }

  /** Milliseconds until the next allocation is gone; undefined if none is leaving. */
  async untilNextGone(): Promise<number | undefined> {
    const [row] = await this.dataSource.query<{ ms: number | null }[]>(
      `SELECT date_part('epoch', min(gone_at) - ${momentOf('$1')}) * 1000 AS ms
       FROM simulated_allocations WHERE gone_at IS NOT NULL`,
      [this.now()],
    );
    return row?.ms ?? undefined;
  }

  /** Calls `listener` after each kill of this process; returns a function that unsubscribes it. */
  onLeaving(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private async moment(): Promise<Date> {
    const [{ moment }] = await this.dataSource.query<[{ moment: Date }]>(MOMENT, [this.now()]);
    return moment;
  }
}
