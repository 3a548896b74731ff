import type { Tx } from '@curtail/event-store';
import { momentOf } from '../tables/moment.js';
import type { PartitionReports } from './gather-reports.js';
import { noteListing } from './listing.js';
import { lockInventory } from './lock.js';

/**
 * Writes down what was reported of a partition. Of each thing the greatest sequence holds, so reports may come late, twice
 * and in any order. What is not above the last whole listing is in it already, and is left out.
 */
export async function mergeReports(
  tx: Tx,
  partition: string,
  reports: PartitionReports,
  now: Date | null,
): Promise<void> {
  await lockInventory(tx, partition);
  const listedUpTo = await hear(tx, partition, reports.saidAt, now);
  const fresh = <T extends { sequence: number }>(all: T[]) =>
    all.filter(({ sequence }) => sequence > listedUpTo);
  await merge(tx, upsertNodes, partition, fresh(reports.nodes));
  await merge(tx, upsertApplications, partition, fresh(reports.applications));
  const allocations = fresh(reports.allocations);
  await merge(tx, upsertAllocations, partition, allocations);
  await endOtherIncarnations(
    tx,
    partition,
    allocations.filter(({ gone }) => !gone).map(({ id }) => id),
  );
  await noteListing(tx, partition, fresh(reports.pages), now);
}

/**
 * Whoever says to speak from the future is heard now, or their silence would not be noticed.
 *
 * @returns the sequence of the last whole listing, 0 before the first.
 */
async function hear(tx: Tx, partition: string, saidAt: Date, now: Date | null): Promise<number> {
  const rows: { listed: string }[] = await tx.query(
    `INSERT INTO inventory_partitions AS known (partition, heard_at) VALUES ($1, least($2, ${momentOf('$3')}))
     ON CONFLICT (partition) DO UPDATE SET heard_at = greatest(known.heard_at, excluded.heard_at)
     RETURNING listed_sequence::text AS listed`,
    [partition, saidAt.toISOString(), now],
  );
  return Number(rows[0]?.listed ?? 0);
}

async function merge(tx: Tx, statement: string, partition: string, items: object[]): Promise<void> {
  if (items.length > 0) await tx.query(statement, [partition, JSON.stringify(items)]);
}

/** One incarnation stands under an id: the one that was reported last. */
async function endOtherIncarnations(tx: Tx, partition: string, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.query(
    `UPDATE inventory_allocations old SET gone = true, changed_at = now()
     WHERE partition = $1 AND id = ANY ($2) AND NOT gone AND EXISTS (
       SELECT FROM inventory_allocations other
       WHERE other.partition = $1 AND other.id = old.id AND NOT other.gone
         AND (other.sequence, other.uid) > (old.sequence, old.uid))`,
    [partition, ids],
  );
}

const upsertNodes = `
  INSERT INTO inventory_nodes AS known (partition, id, sequence, gone, capacity, labels, schedulable)
  SELECT $1, id, sequence, gone, capacity, labels, schedulable
  FROM json_to_recordset($2::json)
    AS n(id text, sequence bigint, gone boolean, capacity jsonb, labels jsonb, schedulable boolean)
  ON CONFLICT (partition, id) DO UPDATE SET
    sequence = excluded.sequence, gone = excluded.gone, changed_at = now(), capacity = excluded.capacity,
    labels = excluded.labels, schedulable = excluded.schedulable
  WHERE excluded.sequence > known.sequence`;

/** One that has ended keeps its user and priority: allocations of it may still run. */
const upsertApplications = `
  INSERT INTO inventory_applications AS known (
    partition, id, sequence, gone, queue, "user", priority, submitted_at, pending, properties)
  SELECT $1, id, sequence, gone, queue, "user", priority, "submittedAt", pending, properties
  FROM json_to_recordset($2::json) AS n(
    id text, sequence bigint, gone boolean, queue text, "user" text, priority integer, "submittedAt" timestamptz,
    pending jsonb, properties jsonb)
  ON CONFLICT (partition, id) DO UPDATE SET
    sequence = excluded.sequence, gone = excluded.gone, changed_at = now(),
    queue = CASE WHEN excluded.gone THEN known.queue ELSE excluded.queue END,
    "user" = CASE WHEN excluded.gone THEN known."user" ELSE excluded."user" END,
    priority = CASE WHEN excluded.gone THEN known.priority ELSE excluded.priority END,
    submitted_at = CASE WHEN excluded.gone THEN known.submitted_at ELSE excluded.submitted_at END,
    pending = CASE WHEN excluded.gone THEN known.pending ELSE excluded.pending END,
    properties = CASE WHEN excluded.gone THEN known.properties ELSE excluded.properties END
  WHERE excluded.sequence > known.sequence`;

/** One whose kill was accepted does not run again, whatever a listing says that was made before. */
const upsertAllocations = `
  INSERT INTO inventory_allocations AS known (
    partition, id, uid, sequence, gone, application, queue, node, resources, priority, role, allow_preemption, started_at,
    state, last_job_started_at, interruptible)
  SELECT $1, id, uid, sequence, gone, application, queue, node, resources, priority, coalesce(role, 'task'),
    coalesce("allowPreemption", true), date_trunc('milliseconds', "startedAt"), coalesce(state, 'running'),
    "lastJobStartedAt", interruptible
  FROM json_to_recordset($2::json) AS n(
    id text, uid text, sequence bigint, gone boolean, application text, queue text, node text, resources jsonb,
    priority integer, role text, "allowPreemption" boolean, "startedAt" timestamptz, state text,
    "lastJobStartedAt" timestamptz, interruptible boolean)
  ON CONFLICT (partition, id, uid) DO UPDATE SET
    sequence = excluded.sequence, gone = excluded.gone, changed_at = now(), application = excluded.application,
    queue = excluded.queue, node = excluded.node, resources = excluded.resources, priority = excluded.priority,
    role = excluded.role, allow_preemption = excluded.allow_preemption, started_at = excluded.started_at,
    last_job_started_at = excluded.last_job_started_at, interruptible = excluded.interruptible,
    state = CASE WHEN known.eviction_id IS NOT NULL AND excluded.state = 'running' THEN 'releasing' ELSE excluded.state END
  WHERE excluded.sequence > known.sequence`;
