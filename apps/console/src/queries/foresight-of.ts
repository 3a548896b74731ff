import { AT } from '#event-store';

/**
 * SQL: what owners have been notified of in advance about the pending run of a clock (docs/how-to/advance-notice.md), as JSON; null where nothing
 * was planned for this run yet.
 *
 * @param clock SQL of the partition, the queue and the run.
 */
export const FORESIGHT_OF = (clock: { partition: string; queue: string; enforcement: string }) => `
  (SELECT json_build_object(
     'victims', coalesce(sum(o.victims), 0)::int, 'applications', count(o.application)::int, 'moreApplications', f.more,
     'notifiedAt', ${AT('max(o.notified_at)')}, 'checkedAt', ${AT('f.checked_at')}, 'fault', f.fault)
   FROM foresights f LEFT JOIN foreseen_owners o ON o.partition = f.partition AND o.queue = f.queue
   WHERE f.partition = ${clock.partition} AND f.queue = ${clock.queue} AND f.enforcement = ${clock.enforcement}
     AND f.checked_at IS NOT NULL
   GROUP BY f.partition, f.queue)`;
