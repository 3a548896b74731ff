import type { KnownEvent, Tx } from '@curtail/event-store';

interface FoundNotice {
  code: string;
  message: string;
}

function noticesOf(event: KnownEvent): FoundNotice[] {
  if (event.name === 'PlanComputed') return event.data.plan.notices;
  return 'notices' in event.data ? event.data.notices : [];
}

/** Keeps the notices that an event carries, for `curtail get notices`. */
export async function foldNotices(tx: Tx, table: string, event: KnownEvent): Promise<FoundNotice[]> {
  const notices = noticesOf(event);
  for (const notice of notices) {
    await tx.query(
      `INSERT INTO ${table} (partition, queue, enforcement, code, message, at) VALUES ($1, $2, $3, $4, $5, $6)`,
      [
        event.partition,
        event.key,
        'enforcement' in event.data ? (event.data.enforcement ?? null) : null,
        notice.code,
        notice.message,
        event.time.toISOString(),
      ],
    );
  }
  return notices;
}
