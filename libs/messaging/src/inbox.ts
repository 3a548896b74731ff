import type { Tx } from '@curtail/event-store';

/**
 * Marks events as handled by a consumer, inside the transaction of their effects.
 *
 * @returns the ids that were not marked before: only their effects may be written.
 */
export async function markHandled(tx: Tx, consumer: string, ids: string[]): Promise<Set<string>> {
  const rows: { event_id: string }[] = await tx.query(
    `INSERT INTO inbox (consumer, event_id) SELECT $1, unnest($2::uuid[])
     ON CONFLICT DO NOTHING RETURNING event_id`,
    [consumer, ids],
  );
  return new Set(rows.map((row) => row.event_id));
}

/** Forgets marks that are older than any redelivery can be. */
export async function trimInbox(tx: Tx, olderThanDays: number): Promise<void> {
  await tx.query('DELETE FROM inbox WHERE handled_at < now() - make_interval(days => $1)', [olderThanDays]);
}
