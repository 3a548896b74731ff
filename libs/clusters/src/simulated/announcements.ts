import type { DataSource } from 'typeorm';
import type { EvictionAnnouncement } from '../driver.js';
import { momentOf } from '../tables/moment.js';

/** What letting go takes an application that does so when it is told. */
const letGoMs = 500;

/**
 * Owners are told: on record beside the kills, once for each incarnation and time. An application with the property
 * `letsGoWhenTold` has its work saved by then, and lets the allocation go.
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
  const [, letGo]: [unknown, number] = await db.query(
    `WITH told AS (
       INSERT INTO simulated_announcements (partition, allocation, uid, queue, kill_at, reason, at)
       SELECT a.partition, a.id, a.uid, a.queue, new.kill_at, new.reason, ${momentOf('$6')}
       FROM unnest($1::text[], $2::text[], $3::uuid[], $4::timestamptz[], $5::text[])
         AS new (partition, allocation, uid, kill_at, reason)
       JOIN simulated_allocations a ON a.partition = new.partition AND a.id = new.allocation
         AND a.uid = coalesce(new.uid, a.uid) AND a.gone_at IS NULL
       RETURNING partition, allocation
     )
     UPDATE simulated_allocations a SET state = 'releasing', gone_at = ${momentOf('$6')} + make_interval(secs => $7)
     FROM told, simulated_applications app
     WHERE a.partition = told.partition AND a.id = told.allocation AND a.state = 'running'
       AND app.partition = a.partition AND app.id = a.application AND app.properties ? 'letsGoWhenTold'`,
    [...columns, now, letGoMs / 1000],
  );
  return letGo > 0;
}
