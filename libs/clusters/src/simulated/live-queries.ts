import { momentOf } from '../tables/rows.js';
import { inSubtree } from '../tables/statements.js';
import { usageOf, usageParts } from '../tables/usage-rows.js';
import { isThere } from './place.js';

/* $1 partition, $2 id, $3 moment or null. */

/** An allocation is in the queue of its application: so the index by queue and application finds it. */
export const APPLICATION_QUERY = `
  SELECT id, queue, "user", priority, submitted_at, pending, properties, gang,
         ${usageParts(
           'simulated_allocations',
           `queue = app.queue AND application = app.id AND ${isThere('$3')}`,
         )} AS parts
  FROM simulated_applications app WHERE partition = $1 AND id = $2`;

/** $2 applications. */
export const GANGS_QUERY = `
  SELECT app.id, app.gang, array(
    SELECT a.uid::text FROM simulated_allocations a
    WHERE a.partition = $1 AND a.queue = app.queue AND a.application = app.id AND a.state = 'running'
      AND a.role IN ('task', 'originator') AND ${isThere('$3', 'a')} ORDER BY a.id) AS members
  FROM simulated_applications app WHERE partition = $1 AND id = ANY ($2) AND gang IS NOT NULL`;

export const NODE_QUERY = `
  SELECT id, capacity, labels,
         ${usageParts('simulated_allocations', `node = $2 AND ${isThere('$3')}`)} AS parts
  FROM simulated_nodes WHERE partition = $1 AND id = $2`;

/**
 * $1 partition, $2 queues, $3 moment or null. The sums that the database keeps for each queue, less the few ended allocations whose
 * rows were not swept yet: all of those were leaving. OFFSET 0 makes the server find them by their time; by their queue it would scan
 * all allocations of the queue.
 */
export const USAGE_QUERY = usageOf(`
  SELECT type, usage, in_flight FROM simulated_usage s
  WHERE s.partition = q.partition AND ${inSubtree('s.queue', 'q.queue')}
  UNION ALL
  SELECT amount.key, -amount.value::numeric, CASE WHEN a.state <> 'running' THEN -amount.value::numeric ELSE 0 END
  FROM (SELECT * FROM simulated_allocations WHERE gone_at <= ${momentOf('$3')} OFFSET 0) a
  CROSS JOIN LATERAL jsonb_each_text(a.resources) AS amount
  WHERE a.partition = q.partition AND ${inSubtree('a.queue', 'q.queue')}`);
