import type { DataSource, EntityManager } from 'typeorm';
import {
  type DisruptionBudget,
  InputError,
  type SnapshotAllocation,
  type SnapshotApplication,
  type SnapshotNode,
} from '#contracts';
import type { ClearedWork } from '#contracts/api';
import { momentOf } from '../tables/rows.js';
import { inSubtree } from '../tables/statements.js';
import type { Behavior } from './behavior.js';

/** Work in the shape of a snapshot. An allocation without `uid` is given a new one. */
export interface Workload {
  nodes?: SnapshotNode[];
  applications?: SnapshotApplication[];
  allocations?: SimulatedAllocation[];
  budgets?: DisruptionBudget[];
}

/** An allocation, and how it answers evictions. */
export type SimulatedAllocation = SnapshotAllocation & { behavior?: Behavior };

/**
 * Puts work into the simulated cluster, all of it or nothing. It replaces things with the same id: a node or an application gets the
 * new values, an allocation becomes another incarnation. InputError if a queue with work would then have a queue with work below it.
 */
export async function place(dataSource: DataSource, partition: string, workload: Workload): Promise<void> {
  await dataSource.transaction(async (manager) => {
    await lockForWriting(manager, partition);
    await insertWorkload(manager, partition, workload);
    await refuseWorkInParents(manager, partition);
  });
}

/** Admits one writer of work in a partition at a time, until the transaction ends; evictions continue meanwhile. */
export async function lockForWriting(manager: EntityManager, partition: string): Promise<void> {
  await manager.query("SELECT pg_advisory_xact_lock(hashtextextended('simulated-cluster/' || $1, 0))", [
    partition,
  ]);
}

export async function insertWorkload(
  manager: EntityManager,
  partition: string,
  workload: Workload,
): Promise<void> {
  const { nodes = [], applications = [], allocations = [], budgets = [] } = workload;
  if (budgets.length > 0) await manager.query(INSERT_BUDGETS, [partition, JSON.stringify(budgets)]);
  if (nodes.length > 0) await manager.query(INSERT_NODES, [partition, JSON.stringify(nodes)]);
  if (applications.length > 0)
    await manager.query(INSERT_APPLICATIONS, [partition, JSON.stringify(applications)]);
  if (allocations.length > 0)
    await manager.query(INSERT_ALLOCATIONS, [partition, JSON.stringify(allocations)]);
}

export async function refuseWorkInParents(manager: EntityManager, partition: string): Promise<void> {
  const [conflict] = await manager.query<{ upper: string; lower: string }[]>(
    `SELECT upper.queue AS upper, lower.queue AS lower
     FROM (SELECT DISTINCT queue FROM simulated_applications WHERE partition = $1) upper
     CROSS JOIN LATERAL (
       SELECT queue FROM simulated_applications
       WHERE partition = $1 AND queue > upper.queue || '.' AND queue < upper.queue || '/' LIMIT 1
     ) lower
     LIMIT 1`,
    [partition],
  );
  if (conflict === undefined) return;
  throw new InputError(
    'queue',
    `${conflict.upper} and ${conflict.lower} would both have work: work belongs in queues without children.`,
  );
}

const INSERT_NODES = `
  INSERT INTO simulated_nodes (partition, id, capacity, labels)
  SELECT $1, id, coalesce(capacity, '{}'), coalesce(labels, '{}')
  FROM json_to_recordset($2::json) AS node(id text, capacity jsonb, labels jsonb)
  ON CONFLICT (partition, id) DO UPDATE SET capacity = excluded.capacity, labels = excluded.labels`;

const INSERT_BUDGETS = `
  INSERT INTO simulated_budgets (partition, id, allowed)
  SELECT $1, id, allowed FROM json_to_recordset($2::json) AS budget(id text, allowed integer)
  ON CONFLICT (partition, id) DO UPDATE SET allowed = excluded.allowed`;

const INSERT_APPLICATIONS = `
  INSERT INTO simulated_applications (partition, id, queue, "user", priority, submitted_at, pending, properties, gang)
  SELECT $1, id, queue, "user", coalesce(priority, 0), "submittedAt", coalesce(pending, '[]'), coalesce(properties, '{}'), gang
  FROM json_to_recordset($2::json) AS application(
    id text, queue text, "user" text, priority integer, "submittedAt" timestamptz, pending jsonb, properties jsonb, gang jsonb)
  ON CONFLICT (partition, id) DO UPDATE SET
    queue = excluded.queue, "user" = excluded."user", priority = excluded.priority,
    submitted_at = excluded.submitted_at, pending = excluded.pending, properties = excluded.properties,
    gang = excluded.gang`;

const INSERT_ALLOCATIONS = `
  INSERT INTO simulated_allocations (
    partition, id, uid, application, queue, node, resources, priority, role, allow_preemption, started_at, state,
    last_job_started_at, interruptible, protected, behavior, budgets, checkpointed_at)
  SELECT $1, id, coalesce(uid, gen_random_uuid()), application, queue, node, resources, priority, coalesce(role, 'task'),
    coalesce("allowPreemption", true), "startedAt", coalesce(state, 'running'),
    "lastJobStartedAt", interruptible, protected, behavior, budgets, "checkpointedAt"
  FROM json_to_recordset($2::json) AS allocation(
    id text, uid uuid, application text, queue text, node text, resources jsonb, priority integer, role text,
    "allowPreemption" boolean, "startedAt" timestamptz, state text,
    "lastJobStartedAt" timestamptz, interruptible boolean, protected boolean, behavior jsonb,
    budgets jsonb, "checkpointedAt" timestamptz)
  ON CONFLICT (partition, id) DO UPDATE SET
    uid = excluded.uid, application = excluded.application, queue = excluded.queue, node = excluded.node,
    resources = excluded.resources, priority = excluded.priority, role = excluded.role,
    allow_preemption = excluded.allow_preemption, started_at = excluded.started_at, state = excluded.state,
    last_job_started_at = excluded.last_job_started_at, interruptible = excluded.interruptible,
    protected = excluded.protected, behavior = excluded.behavior, budgets = excluded.budgets,
    checkpointed_at = excluded.checkpointed_at,
    eviction_id = NULL, gone_at = NULL, refusals = 0`;

/**
 * Removes all work of a queue and below it, and the nodes that were loaded for it; with `root` all nodes. No events are
 * sent: it is as if the work had never existed.
 */
export async function clear(dataSource: DataSource, partition: string, under = 'root'): Promise<ClearedWork> {
  const queue = checkQueuePath('under', under);
  return dataSource.transaction(async (manager) => {
    await lockForWriting(manager, partition);
    return clearWork(manager, partition, queue);
  });
}

export async function clearWork(
  manager: EntityManager,
  partition: string,
  queue: string,
): Promise<ClearedWork> {
  const remove = async (table: string, condition: string, value: string): Promise<number> => {
    const [, count] = await manager.query<[unknown[], number]>(
      `DELETE FROM ${table} WHERE partition = $1 AND ${condition}`,
      [partition, value],
    );
    return count;
  };
  const allocations = await remove('simulated_allocations', inSubtree('queue', '$2::text'), queue);
  const applications = await remove('simulated_applications', inSubtree('queue', '$2::text'), queue);
  await remove('simulated_evictions', inSubtree('queue', '$2::text'), queue);
  if (queue === 'root') await remove('simulated_nominations', '$2::text IS NOT NULL', queue);
  if (queue === 'root') await remove('simulated_budgets', '$2::text IS NOT NULL', queue);
  await remove('simulated_announcements', inSubtree('queue', '$2::text'), queue);
  await remove('simulated_nodes', 'starts_with(id, $2)', queue === 'root' ? '' : idPrefix(queue));
  return { applications, allocations };
}

/** How many applications are in a queue and below it. */
export async function countApplications(
  db: EntityManager,
  partition: string,
  under = 'root',
): Promise<number> {
  const [row] = await db.query<{ count: number }[]>(
    `SELECT count(*)::int AS count FROM simulated_applications WHERE partition = $1 AND ${inSubtree('queue', '$2::text')}`,
    [partition, under],
  );
  return row?.count ?? 0;
}

/** The ids of all applications of a partition. */
export async function applicationIds(db: DataSource, partition: string): Promise<string[]> {
  const rows = await db.query<{ id: string }[]>(
    'SELECT id FROM simulated_applications WHERE partition = $1',
    [partition],
  );
  return rows.map(({ id }) => id);
}

/** The tables have changed at once: with the old statistics, reading the usage of a small queue would scan all of them. */
export async function renewSimulatedStatistics(tx: EntityManager): Promise<void> {
  await tx.query('ANALYZE simulated_applications, simulated_allocations');
}

/**
 * Each page has written the sums of the same queues again. Until their old versions are gone, each read of a large queue takes several
 * times as long, and a run reads its queue before each page of evictions. It only saves time: the work is loaded without it.
 */
export async function dropOldSums(db: DataSource): Promise<void> {
  await db.query('VACUUM simulated_usage').catch(() => {});
}

/**
 * SQL that is true for an allocation that is not gone at a moment, whether its row was swept or not.
 *
 * @param moment the parameter that holds it, null for now (`momentOf`).
 * @param table the alias of the allocations, if more than one table has such a column.
 */
export function isThere(moment: `$${number}`, table?: string): string {
  const goneAt = table === undefined ? 'gone_at' : `${table}.gone_at`;
  return `(${goneAt} IS NULL OR ${goneAt} > ${momentOf(moment)})`;
}

const PATH = /^root(\.[a-z0-9_:#/@-]{1,64})*$/;
const LONGEST_PATH = 1000;

/** A queue path in lower case, as configurations are kept; InputError for anything else. */
export function checkQueuePath(field: string, path: unknown): string {
  const lower = String(path).toLowerCase();
  if (lower.length > LONGEST_PATH || !PATH.test(lower)) {
    throw new InputError(field, `"${lower.slice(0, 100)}" is not a queue: write a path such as root.load.`);
  }
  return lower;
}

/** The prefix of the ids of everything generated under a queue. */
export function idPrefix(under: string): string {
  return `${under.replace(/^root\./, '')}/`;
}
