import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import type { DomainEvent } from '#contracts';
import { append } from '#event-store';
import type { EvictionAnnouncement } from '../driver.js';
import { recipientsOf } from './eviction-table.js';

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
    const recipients = await recipientsOf(tx, announcements);
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
