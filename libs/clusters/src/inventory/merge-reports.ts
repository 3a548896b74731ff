import { planForValues, type Tx } from '#event-store';
import { feedsOf } from './freshness.js';
import type { PartitionReports } from './gather-reports.js';
import { beginListings, noteListing } from './listing.js';
import { saveSender } from './partition-table.js';
import { noteFeeds } from './senders.js';
import { type SenderState, trackSender } from './track-sender.js';

/**
 * Writes the reports of a partition to the tables. For each thing the greatest sequence holds, so reports may arrive late, twice
 * and in any order. Call it inside the lock of the partition (`lockInventory`), with its sender as it was then. Reports not above the last complete listing are part of it already, and are skipped.
 */
export async function mergeReports(
  tx: Tx,
  partition: string,
  sender: SenderState,
  reports: PartitionReports,
  { maxDropPercent, now }: { maxDropPercent: number; now: Date | null },
): Promise<void> {
  const { listedSequence, heldSequence } = sender;
  const above = <T extends { sequence: number }>(all: T[], floor: number) =>
    all.filter(({ sequence }) => sequence > floor);
  const pages = above(reports.pages, Math.max(listedSequence, heldSequence));
  const allocations = above(reports.allocations, listedSequence);
  const feeds = feedsOf(partition, reports.headers, ({ kind, sequence = listedSequence + 1 }) => {
    if (kind === 'confirmation') return undefined;
    const floor = kind === 'page' ? Math.max(listedSequence, heldSequence) : listedSequence;
    return sequence > floor ? undefined : 'outdated-sequence';
  });
  // The server answers them in this order, and none needs the answers of those before.
  await Promise.all([
    saveSender(tx, partition, trackSender(sender, reports.headers), now),
    noteFeeds(tx, feeds, now),
    beginListings(tx, partition, pages),
    merge(tx, upsertNodes, partition, above(reports.nodes, listedSequence)),
    merge(tx, upsertApplications, partition, above(reports.applications, listedSequence)),
    merge(tx, upsertBudgets, partition, above(reports.budgets, listedSequence)),
    merge(tx, upsertAllocations, partition, allocations),
    endOtherIncarnations(
      tx,
      partition,
      allocations.filter(({ gone }) => !gone).map(({ id }) => id),
    ),
  ]);
  await noteListing(tx, partition, pages, maxDropPercent, now);
}

async function merge(tx: Tx, statement: string, partition: string, items: object[]): Promise<void> {
  if (items.length > 0) await tx.query(statement, [partition, JSON.stringify(items)]);
}

/** Statements about more ids than this are planned for them. */
const fewIds = 1000;

/**
 * An id has one incarnation: the one reported last, unless the platform has answered that it was replaced. The one that remains is as new
 * as the reports about the others, so that a late listing does not remove it. The statistics may be those of a table that was small a
 * moment ago. A join of the table with itself or with a list is quadratic then, and so is a list of ids that the plan does not know.
 */
async function endOtherIncarnations(tx: Tx, partition: string, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  if (ids.length > fewIds) await planForValues(tx);
  const several = await tx.query<{ id: string }[]>(
    `SELECT id FROM inventory_allocations
     WHERE partition = $1 AND id = ANY ($2) AND NOT gone GROUP BY id HAVING count(*) > 1`,
    [partition, ids],
  );
  if (several.length === 0) return;
  const newest = await newestOf(
    tx,
    partition,
    several.map(({ id }) => id),
  );
  await tx.query(
    `UPDATE inventory_allocations SET
       gone = uid <> ($3::jsonb ->> id), sequence = CASE WHEN uid = ($3::jsonb ->> id) THEN ($4::jsonb ->> id)::bigint ELSE sequence END,
       changed_at = now()
     WHERE partition = $1 AND id = ANY ($2) AND NOT gone`,
    [
      partition,
      newest.map(({ id }) => id),
      JSON.stringify(Object.fromEntries(newest.map(({ id, uid }) => [id, uid]))),
      JSON.stringify(Object.fromEntries(newest.map(({ id, sequence }) => [id, sequence]))),
    ],
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

const upsertBudgets = `
  INSERT INTO inventory_budgets AS known (partition, id, sequence, gone, allowed, sent_at)
  SELECT $1, id, sequence, gone, allowed, least("saidAt", clock_timestamp())
  FROM json_to_recordset($2::json) AS n(id text, sequence bigint, gone boolean, allowed integer, "saidAt" timestamptz)
  ON CONFLICT (partition, id) DO UPDATE SET
    sequence = excluded.sequence, gone = excluded.gone, changed_at = now(), allowed = excluded.allowed,
    sent_at = excluded.sent_at
  WHERE excluded.sequence > known.sequence`;

/** An ended application keeps its user, priority and gang: its allocations may still run. */
const upsertApplications = `
  INSERT INTO inventory_applications AS known (
    partition, id, sequence, gone, queue, "user", priority, submitted_at, pending, properties, gang)
  SELECT $1, id, sequence, gone, queue, "user", priority, "submittedAt", pending, properties, gang
  FROM json_to_recordset($2::json) AS n(
    id text, sequence bigint, gone boolean, queue text, "user" text, priority integer, "submittedAt" timestamptz,
    pending jsonb, properties jsonb, gang jsonb)
  ON CONFLICT (partition, id) DO UPDATE SET
    sequence = excluded.sequence, gone = excluded.gone, changed_at = now(),
    queue = CASE WHEN excluded.gone THEN known.queue ELSE excluded.queue END,
    "user" = CASE WHEN excluded.gone THEN known."user" ELSE excluded."user" END,
    priority = CASE WHEN excluded.gone THEN known.priority ELSE excluded.priority END,
    submitted_at = CASE WHEN excluded.gone THEN known.submitted_at ELSE excluded.submitted_at END,
    pending = CASE WHEN excluded.gone THEN known.pending ELSE excluded.pending END,
    properties = CASE WHEN excluded.gone THEN known.properties ELSE excluded.properties END,
    gang = CASE WHEN excluded.gone THEN known.gang ELSE excluded.gang END
  WHERE excluded.sequence > known.sequence`;

/** Columns of an allocation that its release does not report, and does not change. */
const kept = [
  ...[
    'application',
    'queue',
    'resources',
    'priority',
    'role',
    'allow_preemption',
    'interruptible',
    'protected',
  ],
  'budgets',
];

/**
 * An allocation whose kill was accepted does not run again, even if a listing made earlier shows it as running. What an incarnation has
 * saved stays saved: its latest checkpoint holds, whoever reported it. One that is gone keeps its budgets (`BUDGETS_LEFT_QUERY`), and what
 * another incarnation is taken to have, should the platform answer that one has replaced it (`presumeReplacements`).
 */
const upsertAllocations = `
  INSERT INTO inventory_allocations AS known (
    partition, id, uid, sequence, gone, application, queue, node, resources, priority, role, allow_preemption, started_at,
    state, last_job_started_at, interruptible, protected, ready_to_go, budgets, checkpointed_at)
  SELECT $1, id, uid, sequence, gone, application, queue, node, resources, priority, coalesce(role, 'task'),
    coalesce("allowPreemption", true), date_trunc('milliseconds', "startedAt"), coalesce(state, 'running'),
    "lastJobStartedAt", interruptible, protected, "readyToGo", budgets, date_trunc('milliseconds', "checkpointedAt")
  FROM json_to_recordset($2::json) AS n(
    id text, uid text, sequence bigint, gone boolean, application text, queue text, node text, resources jsonb,
    priority integer, role text, "allowPreemption" boolean, "startedAt" timestamptz, state text,
    "lastJobStartedAt" timestamptz, interruptible boolean, protected boolean, "readyToGo" boolean,
    budgets jsonb, "checkpointedAt" timestamptz)
  ON CONFLICT (partition, id, uid) DO UPDATE SET
    sequence = excluded.sequence, gone = excluded.gone, changed_at = now(), node = excluded.node,
    started_at = excluded.started_at, last_job_started_at = excluded.last_job_started_at, ready_to_go = excluded.ready_to_go,
    ${kept.map((column) => `${column} = CASE WHEN excluded.gone THEN known.${column} ELSE excluded.${column} END`).join(', ')},
    checkpointed_at = greatest(known.checkpointed_at, excluded.checkpointed_at),
    state = CASE WHEN known.eviction_id IS NOT NULL AND excluded.state = 'running' THEN 'releasing' ELSE excluded.state END
  WHERE excluded.sequence > known.sequence`;

const forgottenAtOnce = 1000;

/**
 * Deletes things that ended a day ago and kills of a week ago, some at a time. A report that arrives later than that does not know that
 * its subject has ended; the next listing corrects this.
 *
 * @returns whether no allocation is left that ended a day ago.
 */
export async function forgetEnded(tx: Tx, partition: string): Promise<boolean> {
  const longGone = (table: string, key: string) => `
    DELETE FROM ${table} WHERE (partition, ${key}) IN (
      SELECT partition, ${key} FROM ${table}
      WHERE gone AND changed_at < now() - interval '1 day' AND partition = $1 LIMIT $2)`;
  const [, allocations] = await tx.query<[unknown, number]>(
    `WITH nodes AS (${longGone('inventory_nodes', 'id')}),
          applications AS (${longGone('inventory_applications', 'id')}),
          budgets AS (${longGone('inventory_budgets', 'id')}),
          clocks AS (
            DELETE FROM inventory_clocks WHERE partition = $1 AND last_message_at < now() - interval '1 day'),
          evictions AS (
            DELETE FROM inventory_evictions WHERE eviction_id IN (
              SELECT eviction_id FROM inventory_evictions
              WHERE requested_at < now() - interval '7 days' AND partition = $1 LIMIT $2))
     ${longGone('inventory_allocations', 'id, uid')}`,
    [partition, forgottenAtOnce],
  );
  return allocations < forgottenAtOnce;
}

/**
 * $1 partition, $2 ids that are held by several incarnations. One that the platform has answered to be replaced is the older one, whatever
 * the sequence of the report that named it: that report was late. Of the others the one reported last is the newest.
 */
const NEWEST = `
  SELECT DISTINCT ON (a.id) a.id, a.uid, (max(a.sequence) OVER (PARTITION BY a.id))::text AS sequence
  FROM inventory_allocations a LEFT JOIN inventory_evictions asked ON asked.eviction_id = a.eviction_id
  WHERE a.partition = $1 AND a.id = ANY ($2) AND NOT a.gone
  ORDER BY a.id, (asked.answer ->> 'answer' IS NOT DISTINCT FROM 'other-incarnation'), a.sequence DESC, a.uid DESC`;

/** The newest incarnation of an id, with the greatest sequence of a report about any of its incarnations. */
export interface Newest {
  id: string;
  uid: string;
  sequence: string;
}

export const newestOf = (tx: Tx, partition: string, ids: readonly string[]): Promise<Newest[]> =>
  tx.query(NEWEST, [partition, ids]);
