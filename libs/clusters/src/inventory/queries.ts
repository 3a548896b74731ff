import { largeQueries } from '../tables/large-reads.js';
import { ALLOCATION_COLUMNS, momentOf } from '../tables/rows.js';
import { inSubtree } from '../tables/statements.js';
import { usageOf, usageParts } from '../tables/usage-rows.js';
import { isOpen, OPEN_UNTIL } from './eviction-table.js';

/* $1 partition. */

/**
 * Applications that `reported` is true for, and those known only by their `allocations`: an application that was not reported, has
 * ended or has moved is derived from its allocations, because a snapshot must contain every application.
 *
 * @param reported SQL about the columns of `table`, an application.
 * @param allocations SQL about columns of an allocation.
 */
const applications = (reported: (table: string) => string, allocations: string) => `
  SELECT id, queue, "user", coalesce(priority, 0) AS priority, submitted_at, coalesce(pending, '[]') AS pending,
         coalesce(properties, '{}') AS properties, gang
  FROM inventory_applications WHERE partition = $1 AND ${reported('inventory_applications')} AND NOT gone
  UNION ALL
  SELECT a.application, a.queue, known."user", coalesce(known.priority, 0), known.submitted_at, '[]', '{}', known.gang
  FROM (SELECT application, min(queue) AS queue FROM inventory_allocations
        WHERE partition = $1 AND ${allocations} AND NOT gone GROUP BY application) a
  LEFT JOIN inventory_applications known ON known.partition = $1 AND known.id = a.application
  WHERE (known.id IS NOT NULL AND NOT known.gone AND ${reported('known')}) IS NOT TRUE`;

/** $2 queue. All applications of the queue and below it. */
export const APPLICATIONS_QUERY = `
  ${applications((table) => inSubtree(`${table}.queue`, '$2::text'), inSubtree('queue', '$2::text'))} ORDER BY id`;

/** $2 application. */
export const APPLICATION_QUERY = `
  SELECT app.*, ${usageParts('inventory_allocations', 'application = $2 AND NOT gone')} AS parts
  FROM (${applications((table) => `${table}.id = $2`, 'application = $2')}) AS app`;

/** $2 node. */
export const NODE_QUERY = `
  SELECT id, coalesce(capacity, '{}') AS capacity, coalesce(labels, '{}') AS labels, schedulable,
         ${usageParts('inventory_allocations', 'node = $2 AND NOT gone')} AS parts
  FROM inventory_nodes WHERE partition = $1 AND id = $2 AND NOT gone`;

export const NODES_QUERY = `
  SELECT id, coalesce(capacity, '{}') AS capacity, coalesce(labels, '{}') AS labels, schedulable
  FROM inventory_nodes WHERE partition = $1 AND NOT gone ORDER BY id`;

const ofQueue = `partition = $1 AND ${inSubtree('queue', '$2::text')} AND NOT gone`;

/** $2 queue. All allocations of the queue and below it. */
export const ALLOCATIONS_QUERY = `
  SELECT ${ALLOCATION_COLUMNS} FROM inventory_allocations WHERE ${ofQueue} ORDER BY id`;

/** $2 queue. Allocations that are not gone have unique ids. */
export const LARGE_QUERIES = largeQueries(`FROM inventory_allocations WHERE ${ofQueue}`, 2);

/** $2 queue, $3 the maximum number of rows. One row for each allocation. */
export const COUNTED = `SELECT FROM inventory_allocations WHERE ${ofQueue} LIMIT $3`;

/** $1 partitions, $2 their queues. */
export const USAGE_QUERY = usageOf(`
  SELECT type, usage, in_flight FROM inventory_usage u WHERE u.partition = q.partition AND ${inSubtree('u.queue', 'q.queue')}`);

/** $2 ids. The budgets that are in force. */
export const BUDGETS_QUERY = `
  SELECT id, allowed FROM inventory_budgets WHERE partition = $1 AND id = ANY ($2) AND NOT gone`;

/** Requests that are older than this are part of what a scheduler reports, even if it has not reported a budget since. */
const mostUnreportedMinutes = 10;

/**
 * $2 ids, $3 an eviction that does not count, or null, $4 the moment or null. What budgets in force still allow. An allocation that is gone keeps its budgets,
 * since it may have gone through a request that the report of the budget does not know of. The requests are read once for all budgets.
 */
export const BUDGETS_LEFT_QUERY = `
  WITH budget AS MATERIALIZED (
    SELECT id, allowed, greatest(sent_at, ${momentOf('$4')} - interval '${mostUnreportedMinutes} minutes') AS since
    FROM inventory_budgets WHERE partition = $1 AND id = ANY ($2) AND NOT gone
  ), requested AS MATERIALIZED (
    SELECT a.budgets, requested_at FROM inventory_evictions
    JOIN inventory_allocations a ON a.partition = inventory_evictions.partition
      AND a.id = inventory_evictions.allocation AND a.uid = inventory_evictions.uid
    WHERE inventory_evictions.partition = $1 AND a.budgets ?| $2
      AND requested_at >= (SELECT min(since) FROM budget)
      AND (answer ->> 'answer' = 'accepted' OR answer IS NULL AND ${OPEN_UNTIL} > ${momentOf('$4')})
      AND inventory_evictions.eviction_id IS DISTINCT FROM $3
  ), named AS (SELECT jsonb_array_elements_text(budgets) AS id, requested_at FROM requested)
  SELECT budget.id, allowed - count(requested_at)::int AS left
  FROM budget LEFT JOIN named ON named.id = budget.id AND requested_at >= since
  GROUP BY budget.id, allowed`;

/** $2 applications, $3 the moment or null. A member whose eviction may be carried out at any moment counts as leaving. */
export const GANGS_QUERY = `
  WITH requested AS MATERIALIZED (
    SELECT allocation, uid FROM inventory_evictions
    WHERE partition = $1 AND answer IS NULL AND ${isOpen('$3')})
  SELECT app.id, app.gang, array(
    SELECT a.uid FROM inventory_allocations a
    WHERE a.partition = $1 AND a.application = app.id AND NOT a.gone AND a.state = 'running'
      AND a.role IN ('task', 'originator')
      AND NOT EXISTS (SELECT FROM requested WHERE requested.allocation = a.id AND requested.uid = a.uid)
    ORDER BY a.id) AS members
  FROM inventory_applications app WHERE partition = $1 AND id = ANY ($2) AND gang IS NOT NULL`;

export const RESOURCE_TYPES_QUERY = `
  SELECT type FROM inventory_usage WHERE partition = $1 AND usage > 0
  UNION SELECT jsonb_object_keys(capacity) FROM inventory_nodes WHERE partition = $1 AND NOT gone
  UNION SELECT jsonb_object_keys(ask -> 'resources')
        FROM inventory_applications, jsonb_array_elements(pending) AS ask WHERE partition = $1 AND NOT gone`;
