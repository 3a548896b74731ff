import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import type { DomainEvent } from '#contracts';
import { append } from '#event-store';
import type { EvictionAnnouncement } from '../driver.js';

interface Recipient {
  allocation: string;
  uid: string;
  queue: string;
  application: string;
  nr: number;
}

/**
 * Has the platform notify owners, by events that go out as every event does. Delivery is not awaited. Allocations that have ended or
 * been replaced by another incarnation are skipped.
 */
export async function announceEvictions(
  db: DataSource,
  announcements: readonly EvictionAnnouncement[],
  at: Date | null,
): Promise<void> {
  if (announcements.length === 0) return;
  await db.transaction(async (tx) => {
    const recipients = await tx.query<Recipient[]>(
      `SELECT a.id AS allocation, a.uid, a.queue, a.application, new.nr::int AS nr
       FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS new (partition, id, uid, nr)
       JOIN inventory_allocations a ON a.partition = new.partition AND a.id = new.id
         AND a.uid = coalesce(new.uid, a.uid) AND a.state = 'running' AND NOT a.gone
       ORDER BY new.nr`,
      [
        announcements.map(({ partition }) => partition),
        announcements.map(({ allocation }) => allocation),
        announcements.map(({ uid }) => uid ?? null),
      ],
    );
    await append(
      tx,
      recipients.map(({ nr, ...of }) => {
        const { partition, killAt, reason } = announcements[nr - 1]!;
        const event: DomainEvent = {
          name: 'EvictionAnnounced',
          data: { partition, ...of, killAt: killAt.toISOString(), reason },
        };
        return {
          stream: `announcement-${randomUUID()}`,
          partition,
          expectedVersion: 0,
          events: [{ event, ...(at && { at }), key: of.queue }],
        };
      }),
    );
  });
}
