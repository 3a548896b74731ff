import type { KnownEvent, Tx } from '@curtail/event-store';

const victimEvents = [
  'VictimOrdered',
  'VictimNotified',
  'VictimEvicted',
  'VictimRefused',
  'VictimGone',
  'VictimSpared',
  'VictimFailed',
] as const;
type VictimEvent = KnownEvent<(typeof victimEvents)[number]>;

export const isVictimEvent = (event: KnownEvent): event is VictimEvent =>
  (victimEvents as readonly string[]).includes(event.name);

/** The victims of new plans, one row each. */
export async function foldPlanVictims(
  tx: Tx,
  table: string,
  plans: KnownEvent<'PlanComputed'>[],
): Promise<void> {
  const planned = plans.flatMap((plan) => plan.data.plan.victims.map((victim) => ({ plan, victim })));
  if (planned.length === 0) return;
  await tx.query(
    `INSERT INTO ${table} (state, enforcement, partition, updated_at, allocation, queue, application, rank, uid, resources, reason)
     SELECT 'planned', * FROM
       unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::int[], $8::text[],
              $9::json[], $10::text[])
     ON CONFLICT (enforcement, allocation) DO NOTHING`,
    [
      planned.map(({ plan }) => plan.data.enforcement),
      planned.map(({ plan }) => plan.data.partition),
      planned.map(({ plan }) => plan.time.toISOString()),
      planned.map(({ victim }) => victim.allocation),
      planned.map(({ victim }) => victim.queue),
      planned.map(({ victim }) => victim.application),
      planned.map(({ victim }) => victim.rank),
      planned.map(({ victim }) => victim.uid ?? null),
      planned.map(({ victim }) => JSON.stringify(victim.resources)),
      planned.map(({ victim }) => victim.reason),
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

/** What became of victims; of one victim the last event counts. */
export async function foldVictims(tx: Tx, table: string, events: VictimEvent[]): Promise<void> {
  if (events.length === 0) return;
  const last = new Map(events.map((event) => [`${event.data.enforcement} ${event.data.allocation}`, event]));
  const rows = [...last.values()].map((event) => ({ event, ...rowOf(event) }));
  await tx.query(
    `UPDATE ${table} AS row SET state = now.state, code = now.code, message = now.message, updated_at = now.at
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[])
       AS now (enforcement, allocation, state, code, message, at)
     WHERE row.enforcement = now.enforcement AND row.allocation = now.allocation`,
    [
      rows.map(({ event }) => event.data.enforcement),
      rows.map(({ event }) => event.data.allocation),
      rows.map(({ state }) => state),
      rows.map(({ code }) => code),
      rows.map(({ message }) => message),
      rows.map(({ event }) => event.time.toISOString()),
    ],
  );
}
