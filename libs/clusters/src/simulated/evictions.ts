import type { DataSource, EntityManager } from 'typeorm';
import type { Tx } from '#event-store';
import type { EvictionAnnouncement, EvictionAnswer, EvictionGate, EvictionRequest } from '../driver.js';
import { momentOf } from '../tables/rows.js';
import type { EvictionTarget } from './eviction-answer.js';

/** An eviction, with the gate to call in the transaction that carries it out. */
export interface GatedEviction {
  request: EvictionRequest;
  gate: EvictionGate;
}

/** SQL: the seconds from an eviction until the allocation `a` is gone. @param grace SQL of the grace period. */
export const secondsToLeave = (grace: string) =>
  `coalesce((a.behavior ->> 'leavesAfterSeconds')::float8, ${grace})`;

/**
 * Marks and records in one statement, so the history has exactly the kills that were carried out, and their disruption budgets allow as
 * many fewer. $5 is the moment or null.
 */
export const record = `
  , spent AS (
    UPDATE simulated_budgets budget SET allowed = greatest(0, allowed - of.count)
    FROM (SELECT k.partition, named.id, count(*)::int AS count
          FROM killed k CROSS JOIN LATERAL jsonb_array_elements_text(k.budgets) AS named (id) GROUP BY 1, 2) AS of (partition, id, count)
    WHERE budget.partition = of.partition AND budget.id = of.id)
  INSERT INTO simulated_evictions (partition, allocation, uid, queue, resources, eviction_id, at)
  SELECT partition, id, uid, queue, resources, eviction_id, ${momentOf('$5')} FROM killed RETURNING eviction_id`;

/**
 * Handles the common case with one transaction for many evictions: the allocation exists, has the requested uid, and neither it
 * nor its application refuses evictions. Of two evictions of the same allocation one is carried out.
 *
 * @returns undefined for evictions that are not the common case: they are not decided yet.
 */
export async function evictAtOnce(
  db: DataSource,
  evictions: GatedEviction[],
  now: Date | null,
): Promise<(EvictionAnswer | undefined)[]> {
  return db.transaction(async (tx) => {
    const answers = new Map<GatedEviction, EvictionAnswer>();
    for (const gate of new Set(evictions.map((eviction) => eviction.gate))) {
      const withheld = await gate(tx, requestsOf(evictions.filter((eviction) => eviction.gate === gate)));
      for (const eviction of evictions) {
        const why = eviction.gate === gate && withheld.get(eviction.request.evictionId);
        if (why) answers.set(eviction, { kind: 'withheld', ...why });
      }
    }
    const open = evictions.filter((eviction) => !answers.has(eviction));
    const carriedOut = await carryOut(tx, requestsOf(open), now);
    for (const eviction of open) {
      if (carriedOut.delete(eviction.request.evictionId))
        answers.set(eviction, { kind: 'accepted', repeated: false });
    }
    return evictions.map((eviction) => answers.get(eviction));
  });
}

const requestsOf = (evictions: readonly GatedEviction[]) => evictions.map(({ request }) => request);

async function carryOut(tx: Tx, requests: EvictionRequest[], now: Date | null): Promise<Set<string>> {
  if (requests.length === 0) return new Set();
  const killed = await tx.query<{ eviction_id: string }[]>(
    `WITH killed AS (
       UPDATE simulated_allocations a
       SET state = 'releasing', eviction_id = wanted.eviction, 
           gone_at = ${momentOf('$5')} + make_interval(secs => ${secondsToLeave('grace')})
       FROM unnest($1::text[], $2::text[], $3::text[], $4::float8[], $6::uuid[]) AS wanted (partition, id, eviction, grace, uid)
       WHERE a.partition = wanted.partition AND a.id = wanted.id
         AND a.state = 'running' AND a.gone_at IS NULL AND a.uid = coalesce(wanted.uid, a.uid)
         AND NOT coalesce(a.behavior ? 'refuses', false)
         AND NOT EXISTS (SELECT FROM simulated_applications app
                         WHERE app.partition = a.partition AND app.id = a.application
                           AND app.properties ? 'refuseEvictions')
       RETURNING a.*
     ) ${record}`,
    [
      requests.map((request) => request.partition),
      requests.map((request) => request.allocation),
      requests.map((request) => request.evictionId),
      requests.map((request) => request.graceSeconds),
      now,
      requests.map((request) => request.uid ?? null),
    ],
  );
  return new Set(killed.map((row) => row.eviction_id));
}

/** The row stays locked until the answer is written: concurrent evictions run one after the other. */
export async function lockTarget(
  manager: EntityManager,
  request: EvictionRequest,
  now: Date | null,
): Promise<EvictionTarget | undefined> {
  const [row] = await manager.query<EvictionTarget[]>(
    `SELECT a.uid, a.state, coalesce(a.gone_at <= ${momentOf('$3')}, false) AS "isGone", a.refusals,
            coalesce(a.behavior -> 'refuses', app.properties -> 'refuseEvictions') AS "refuseEvictions", a.behavior ->> 'reason' AS reason
     FROM simulated_allocations a
     JOIN simulated_applications app ON app.partition = a.partition AND app.id = a.application
     WHERE a.partition = $1 AND a.id = $2
     FOR UPDATE OF a`,
    [request.partition, request.allocation, now],
  );
  return row;
}

export async function markReleasing(
  manager: EntityManager,
  request: EvictionRequest,
  now: Date | null,
): Promise<void> {
  await manager.query(
    `WITH killed AS (
       UPDATE simulated_allocations a
       SET state = 'releasing', eviction_id = $3, gone_at = ${momentOf('$5')} + make_interval(secs => ${secondsToLeave('$4')})
       WHERE a.partition = $1 AND a.id = $2 RETURNING *
     ) ${record}`,
    [request.partition, request.allocation, request.evictionId, request.graceSeconds, now],
  );
}

export async function countRefusal(manager: EntityManager, request: EvictionRequest): Promise<void> {
  await manager.query(
    'UPDATE simulated_allocations SET refusals = refusals + 1 WHERE partition = $1 AND id = $2',
    [request.partition, request.allocation],
  );
}

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
