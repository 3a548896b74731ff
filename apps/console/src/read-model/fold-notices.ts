import type { RecordedNotice } from '#contracts';
import type { Tx } from '#event-store';
import type { FoldedEvent } from './folded-event.js';
import { insertNotices } from './statements.js';

function noticesOf(event: FoldedEvent): readonly RecordedNotice[] {
  if (event.name === 'PlanComputed') return event.data.plan.notices;
  return 'notices' in event.data ? event.data.notices : [];
}

/** Stores the notices of events, for `curtail get notices`. */
export function foldNotices(tx: Tx, table: string, events: readonly FoldedEvent[]): Promise<void> {
  return addNotices(tx, table, events, 'true');
}

/** The same for an event whose notices may be stored already. */
export function addNewNotices(tx: Tx, table: string, event: FoldedEvent): Promise<void> {
  return addNotices(
    tx,
    table,
    [event],
    `NOT EXISTS (SELECT FROM ${table} row WHERE (row.partition, row.queue, row.at, row.code, row.message)
                  = (new.partition, new.queue, new.at, new.code, new.message))`,
  );
}

/** @param condition SQL, about a row `new`. */
async function addNotices(
  tx: Tx,
  table: string,
  events: readonly FoldedEvent[],
  condition: string,
): Promise<void> {
  const found = events.flatMap((event) => noticesOf(event).map((notice) => ({ event, notice })));
  if (found.length === 0) return;
  await insertNotices(tx, table, condition, [
    found.map(({ event }) => event.partition),
    found.map(({ event }) => event.key),
    found.map(({ event }) => ('enforcement' in event.data ? (event.data.enforcement ?? null) : null)),
    found.map(({ notice }) => notice.code),
    found.map(({ notice }) => notice.message),
    found.map(({ notice }) => notice.about?.kind ?? null),
    found.map(({ notice }) => notice.about?.name ?? null),
    found.map(({ notice }) => notice.about?.queue ?? null),
    found.map(({ event }) => event.time.toISOString()),
  ]);
}
