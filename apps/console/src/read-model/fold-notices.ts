import type { Tx } from '@curtail/event-store';
import type { FoldedEvent } from './folded-event.js';

interface FoundNotice {
  code: string;
  message: string;
}

function noticesOf(event: FoldedEvent): FoundNotice[] {
  if (event.name === 'PlanComputed') return event.data.plan.notices;
  return 'notices' in event.data ? event.data.notices : [];
}

/** Keeps the notices that events carry, for `curtail get notices`. */
export async function foldNotices(tx: Tx, table: string, events: FoldedEvent[]): Promise<void> {
  const found = events.flatMap((event) => noticesOf(event).map((notice) => ({ event, notice })));
  if (found.length === 0) return;
  await tx.query(
    `INSERT INTO ${table} (partition, queue, enforcement, code, message, at)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[])`,
    [
      found.map(({ event }) => event.partition),
      found.map(({ event }) => event.key),
      found.map(({ event }) => ('enforcement' in event.data ? (event.data.enforcement ?? null) : null)),
      found.map(({ notice }) => notice.code),
      found.map(({ notice }) => notice.message),
      found.map(({ event }) => event.time.toISOString()),
    ],
  );
}
