import {
  type ClusterSnapshot,
  InputError,
  type Resources,
  type SnapshotAllocation,
} from '@curtail/contracts';
import type { DataSource, EntityManager } from 'typeorm';
import type {
  ClusterDriver,
  EvictionAnnouncement,
  EvictionAnswer,
  EvictionRequest,
  Nomination,
  QueueUsage,
} from '../driver.js';
import { checkListLimit } from '../tables/list-limit.js';
import {
  ALLOCATION_COLUMNS,
  type AllocationRow,
  toAllocations,
  toApplication,
  toNode,
} from '../tables/rows.js';
import { inSubtree, withAncestors } from '../tables/subtree.js';
import { totalCapacity } from '../tables/total-capacity.js';
import { toUsage, type UsageRow } from '../tables/usage-rows.js';
import { announceTo } from './announcements.js';
import { answerEviction, type Standing } from './eviction-answer.js';
import { nominateFor } from './nominations.js';
import { apart, SNAPSHOT_QUERY, type SnapshotRow } from './snapshot-query.js';
import { startPending } from './start-pending.js';
import { USAGE_QUERY } from './usage.js';

/**
 * A cluster that is kept in PostgreSQL. What an allocation is at a moment follows from its row and the time alone:
 * running, then releasing from the kill to `gone_at`, then gone. Rows of allocations that are gone are swept by
 * `SimulatedReaper`; no answer depends on whether that has happened.
 */
export class SimulatedCluster implements ClusterDriver {
  readonly name = 'simulated';
  private readonly listeners = new Set<() => void>();

  constructor(
    private readonly dataSource: DataSource,
    readonly now: () => Date = () => new Date(),
  ) {}

  async snapshot(scope: { partition: string; queue?: string }): Promise<ClusterSnapshot> {
    const { partition, queue = 'root' } = scope;
    const takenAt = this.now();
    const rows = await this.dataSource.query<SnapshotRow[]>(SNAPSHOT_QUERY, [partition, queue, takenAt]);
    const { nodes, applications, allocations } = apart(rows);
    // An allocation is in the queue of its application, so these are all the queues there are.
    const paths = withAncestors([queue, ...new Set(applications.map((application) => application.queue))]);
    return {
      apiVersion: 'curtail/v1',
      kind: 'ClusterSnapshot',
      takenAt: takenAt.toISOString(),
      partition,
      nodes: nodes.map(toNode),
      queues: paths.map((path) => ({ path })),
      applications: applications.map(toApplication),
      allocations: toAllocations(allocations),
    };
  }

  capacity(partition: string): Promise<Resources> {
    return totalCapacity(this.dataSource, 'simulated_nodes', partition);
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

  async usage(partition: string, queues: string[]): Promise<Map<string, QueueUsage>> {
    const rows = await this.dataSource.query<UsageRow[]>(USAGE_QUERY, [partition, queues, this.now()]);
    return toUsage(queues, rows);
  }

  async allocation(partition: string, id: string): Promise<SnapshotAllocation | undefined> {
    const rows = await this.dataSource.query<AllocationRow[]>(
      `SELECT ${ALLOCATION_COLUMNS} FROM simulated_allocations
       WHERE partition = $1 AND id = $2 AND (gone_at IS NULL OR gone_at > $3)`,
      [partition, id, this.now()],
    );
    return toAllocations(rows)[0];
  }

  /** At most 10,000 at a time; `after` the last id goes on. */
  async allocations(query: {
    partition: string;
    queue?: string;
    after?: string;
    limit: number;
  }): Promise<SnapshotAllocation[]> {
    const { partition, queue = 'root', after = '', limit } = query;
    checkListLimit(limit);
    const rows = await this.dataSource.query<AllocationRow[]>(
      `SELECT ${ALLOCATION_COLUMNS} FROM simulated_allocations
       WHERE partition = $1 AND ${inSubtree('queue', '$2::text')} AND id > $3 AND (gone_at IS NULL OR gone_at > $4)
       ORDER BY id LIMIT $5`,
      [partition, queue, after, this.now(), limit],
    );
    return toAllocations(rows);
  }

  async evict(request: EvictionRequest): Promise<EvictionAnswer> {
    if (!Number.isFinite(request.graceSeconds) || request.graceSeconds < 0) {
      throw new InputError(
        'graceSeconds',
        `${request.graceSeconds} is not possible: give 0 or more seconds.`,
      );
    }
    const now = this.now();
    if (await killAtOnce(this.dataSource, request, now)) {
      for (const listener of this.listeners) listener();
      return { kind: 'accepted', repeated: false };
    }
    const decision = await this.dataSource.transaction(async (manager) => {
      const decided = answerEviction(await lockStanding(manager, request), request.uid, now);
      if (decided.change === 'kill') await markReleasing(manager, request, now);
      if (decided.change === 'refuse') await countRefusal(manager, request);
      return decided;
    });
    if (decision.change === 'kill') for (const listener of this.listeners) listener();
    return decision.answer;
  }

  async announce(announcements: EvictionAnnouncement[]): Promise<void> {
    if (await announceTo(this.dataSource, announcements, this.now())) {
      for (const listener of this.listeners) listener();
    }
  }

  async nominate(nominations: Nomination[]): Promise<void> {
    await nominateFor(this.dataSource, nominations);
  }

  /** Starts what waits and has room now (`start-pending.ts`); gives its number. */
  async startPending(): Promise<number> {
    return startPending(this.dataSource, this.now());
  }

  /** Removes the rows of allocations that are gone; gives their number. */
  async reap(): Promise<number> {
    const [, reaped] = await this.dataSource.query<[unknown[], number]>(
      'DELETE FROM simulated_allocations WHERE gone_at <= $1',
      [this.now()],
    );
    return reaped;
  }

  /** When the next allocation will be gone; undefined if none is leaving. */
  async nextGoneAt(): Promise<Date | undefined> {
    const [row] = await this.dataSource.query<{ next: Date | null }[]>(
      'SELECT min(gone_at) AS next FROM simulated_allocations WHERE gone_at IS NOT NULL',
    );
    return row?.next ?? undefined;
  }

  /** Calls `listener` after each kill of this process; gives the way to stop that. */
  onLeaving(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** The row stays locked until the answer is written: two evictions at a time are two in a row. */
async function lockStanding(manager: EntityManager, request: EvictionRequest): Promise<Standing | undefined> {
  const [row] = await manager.query<Standing[]>(
    `SELECT a.uid, a.state, a.gone_at AS "goneAt", a.refusals, app.properties -> 'refuseEvictions' AS "refuseEvictions"
     FROM simulated_allocations a
     JOIN simulated_applications app ON app.partition = a.partition AND app.id = a.application
     WHERE a.partition = $1 AND a.id = $2
     FOR UPDATE OF a`,
    [request.partition, request.allocation],
  );
  return row;
}

const goneAt = (request: EvictionRequest, now: Date) => new Date(now.getTime() + request.graceSeconds * 1000);

/** Marks and records in one statement: the history has every kill that was carried out, and no other. */
const kill = `
  UPDATE simulated_allocations a SET state = 'releasing', eviction_id = $3, gone_at = $4
  WHERE a.partition = $1 AND a.id = $2`;
const record = `
  INSERT INTO simulated_evictions (partition, allocation, uid, queue, resources, eviction_id, at)
  SELECT partition, id, uid, queue, resources, eviction_id, $5 FROM killed RETURNING 1`;

/** The usual case with one statement: it stands, it is the one that is meant, and its application has nothing against it. */
async function killAtOnce(db: DataSource, request: EvictionRequest, now: Date): Promise<boolean> {
  const killed: unknown[] = await db.query(
    `WITH killed AS (
       ${kill} AND a.state = 'running' AND a.gone_at IS NULL AND a.uid = coalesce($6::uuid, a.uid)
         AND NOT EXISTS (SELECT FROM simulated_applications app
                         WHERE app.partition = a.partition AND app.id = a.application
                           AND app.properties ? 'refuseEvictions')
       RETURNING *
     ) ${record}`,
    [
      request.partition,
      request.allocation,
      request.evictionId,
      goneAt(request, now),
      now,
      request.uid ?? null,
    ],
  );
  return killed.length > 0;
}

async function markReleasing(manager: EntityManager, request: EvictionRequest, now: Date): Promise<void> {
  await manager.query(`WITH killed AS (${kill} RETURNING *) ${record}`, [
    request.partition,
    request.allocation,
    request.evictionId,
    goneAt(request, now),
    now,
  ]);
}

async function countRefusal(manager: EntityManager, request: EvictionRequest): Promise<void> {
  await manager.query(
    'UPDATE simulated_allocations SET refusals = refusals + 1 WHERE partition = $1 AND id = $2',
    [request.partition, request.allocation],
  );
}
