import type { KnownEvent, Tx } from '@curtail/event-store';

type VictimEvent = KnownEvent<
  | 'VictimOrdered'
  | 'VictimNotified'
  | 'VictimEvicted'
  | 'VictimRefused'
  | 'VictimGone'
  | 'VictimSpared'
  | 'VictimFailed'
>;

/** The victims of a new plan, one row each. */
export async function foldPlanVictims(
  tx: Tx,
  table: string,
  event: KnownEvent<'PlanComputed'>,
): Promise<void> {
  const { victims } = event.data.plan;
  if (victims.length === 0) return;
  await tx.query(
    `INSERT INTO ${table} (enforcement, partition, state, updated_at, allocation, queue, application, rank, uid, resources, reason)
     SELECT $1, $2, 'planned', $3, * FROM
       unnest($4::text[], $5::text[], $6::text[], $7::int[], $8::text[], $9::json[], $10::text[])
     ON CONFLICT (enforcement, allocation) DO NOTHING`,
    [
      event.data.enforcement,
      event.data.partition,
      event.time.toISOString(),
      victims.map((victim) => victim.allocation),
      victims.map((victim) => victim.queue),
      victims.map((victim) => victim.application),
      victims.map((victim) => victim.rank),
      victims.map((victim) => victim.uid ?? null),
      victims.map((victim) => JSON.stringify(victim.resources)),
      victims.map((victim) => victim.reason),
    ],
  );
}

function rowOf(event: VictimEvent): { state: string; code: string | null; message: string | null } {
  switch (event.name) {
    case 'VictimOrdered':
      return { state: 'ordered', code: null, message: null };
    case 'VictimNotified':
      return { state: 'notified', code: null, message: `will be evicted at ${event.data.killAt}` };
    case 'VictimEvicted':
      return { state: 'evicted', code: null, message: null };
    case 'VictimRefused':
      return { state: 'refused', code: event.data.code, message: event.data.message };
    case 'VictimGone':
      return { state: 'gone', code: event.data.code, message: event.data.message };
    case 'VictimSpared':
      return { state: 'spared', code: event.data.code, message: event.data.message };
    case 'VictimFailed':
      return { state: 'failed', code: event.data.code, message: event.data.message };
  }
}

/** What became of a victim. */
export async function foldVictim(tx: Tx, table: string, event: VictimEvent): Promise<void> {
  const { state, code, message } = rowOf(event);
  await tx.query(
    `UPDATE ${table} SET state = $3, code = $4, message = $5, updated_at = $6 WHERE enforcement = $1 AND allocation = $2`,
    [event.data.enforcement, event.data.allocation, state, code, message, event.time.toISOString()],
  );
}
