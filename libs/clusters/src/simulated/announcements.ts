import type { DataSource } from 'typeorm';
import type { EvictionAnnouncement } from '../driver.js';
import { momentOf } from '../tables/moment.js';
import { secondsToLeave } from './evict-at-once.js';

/** How long an application takes to release an allocation after the notification. */
const releaseMs = 500;

/**
 * Notifies owners: records the announcement beside the kills, once for each incarnation and time. An application with the property
 * `releasesWhenNotified` releases the allocation by itself.
 *
 * @returns whether any allocation is being released.
 */
export async function announceTo(
  db: DataSource,
  announcements: readonly EvictionAnnouncement[],
  now: Date | null,
): Promise<boolean> {
  if (announcements.length === 0) return false;
  const columns = [
    announcements.map(({ partition }) => partition),
    announcements.map(({ allocation }) => allocation),
    announcements.map(({ uid }) => uid ?? null),
    announcements.map(({ killAt }) => killAt.toISOString()),
    announcements.map(({ reason }) => reason),
  ];
  const [, released] = await db.query<[unknown, number]>(
    `WITH notified AS (
       INSERT INTO simulated_announcements (partition, allocation, uid, queue, kill_at, reason, at)
       SELECT a.partition, a.id, a.uid, a.queue, new.kill_at, new.reason, ${momentOf('$6')}
       FROM unnest($1::text[], $2::text[], $3::uuid[], $4::timestamptz[], $5::text[])
         AS new (partition, allocation, uid, kill_at, reason)
       JOIN simulated_allocations a ON a.partition = new.partition AND a.id = new.allocation
         AND a.uid = coalesce(new.uid, a.uid) AND a.gone_at IS NULL
       RETURNING partition, allocation
     )
     UPDATE simulated_allocations a SET state = 'releasing', gone_at = ${momentOf('$6')} + make_interval(secs => ${secondsToLeave('$7')})
     FROM notified, simulated_applications app
     WHERE a.partition = notified.partition AND a.id = notified.allocation AND a.state = 'running'
       AND app.partition = a.partition AND app.id = a.application AND app.properties ? 'releasesWhenNotified'`,
    [...columns, now, releaseMs / 1000],
  );
  return released > 0;
}
