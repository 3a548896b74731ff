import { momentOf } from '../tables/moment.js';
import { inSubtree } from '../tables/subtree.js';
import { usageOf } from '../tables/usage-rows.js';

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
