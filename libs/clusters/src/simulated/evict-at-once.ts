import type { DataSource } from 'typeorm';
import type { Tx } from '#event-store';
import type { EvictionAnswer, EvictionGate, EvictionRequest } from '../driver.js';
import { momentOf } from '../tables/moment.js';

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
