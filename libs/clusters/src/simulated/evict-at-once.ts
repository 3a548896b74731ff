import type { Tx } from '@curtail/event-store';
import type { DataSource } from 'typeorm';
import type { EvictionAnswer, EvictionGate, EvictionRequest } from '../driver.js';
import { momentOf } from '../tables/moment.js';

/** An eviction, and what is checked in the transaction that carries it out. */
export interface GatedEviction {
  request: EvictionRequest;
  gate: EvictionGate;
}

/** Marks and records in one statement: the history has every kill that was carried out, and no other. $5 is the moment or null. */
export const record = `
  INSERT INTO simulated_evictions (partition, allocation, uid, queue, resources, eviction_id, at)
  SELECT partition, id, uid, queue, resources, eviction_id, ${momentOf('$5')} FROM killed RETURNING eviction_id`;

/**
 * The usual case with one transaction for many: it stands, it is the one that is meant, and its application has nothing against
 * it. Of two that are about the same allocation one is carried out.
 *
 * @returns undefined for those that are no usual case: nothing is known of them yet.
 */
export async function evictAtOnce(
  db: DataSource,
  wishes: GatedEviction[],
  now: Date | null,
): Promise<(EvictionAnswer | undefined)[]> {
  return db.transaction(async (tx) => {
    const answers = new Map<GatedEviction, EvictionAnswer>();
    for (const gate of new Set(wishes.map((wish) => wish.gate))) {
      const withheld = await gate(tx, requestsOf(wishes.filter((wish) => wish.gate === gate)));
      for (const wish of wishes) {
        const why = wish.gate === gate && withheld.get(wish.request.evictionId);
        if (why) answers.set(wish, { kind: 'withheld', ...why });
      }
    }
    const open = wishes.filter((wish) => !answers.has(wish));
    const carriedOut = await carryOut(tx, requestsOf(open), now);
    for (const wish of open) {
      if (carriedOut.delete(wish.request.evictionId))
        answers.set(wish, { kind: 'accepted', repeated: false });
    }
    return wishes.map((wish) => answers.get(wish));
  });
}

const requestsOf = (wishes: readonly GatedEviction[]) => wishes.map(({ request }) => request);

async function carryOut(tx: Tx, requests: EvictionRequest[], now: Date | null): Promise<Set<string>> {
  if (requests.length === 0) return new Set();
  const killed: { eviction_id: string }[] = await tx.query(
    `WITH killed AS (
       UPDATE simulated_allocations a
       SET state = 'releasing', eviction_id = wanted.eviction, gone_at = ${momentOf('$5')} + make_interval(secs => grace)
       FROM unnest($1::text[], $2::text[], $3::text[], $4::float8[], $6::uuid[]) AS wanted (partition, id, eviction, grace, uid)
       WHERE a.partition = wanted.partition AND a.id = wanted.id
         AND a.state = 'running' AND a.gone_at IS NULL AND a.uid = coalesce(wanted.uid, a.uid)
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
