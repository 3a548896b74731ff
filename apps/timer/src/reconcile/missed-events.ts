import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { catalog } from '#contracts/events';
import {
  configStream,
  enforcementStream,
  type KeyOfStream,
  known,
  readEventsById,
  readKeysOfStream,
  type StoredEvent,
} from '#event-store';
import { noteVersions } from '#runs';
import { type ClockEvent, clockConsumer, isClockEvent } from '../clocks/clock-event.js';

/** Queues for which events are read with one statement. */
export const queuesAtOnce = 1000;

/**
 * Finds events in the log whose effects the clocks lack, for whatever reason, dead letters and discarded ones included: changes of quotas
 * that are newer than the last one that their clock applied, and ends of runs that still hold their lock. It compares states, and relies on
 * no delivery.
 */
@Injectable()
export class FindMissedEvents {
  constructor(private readonly db: DataSource) {}

  /** @param graceMs younger changes may still be on their way. */
  async changes(partition: string, graceMs: number): Promise<ClockEvent[]> {
    const behind = await this.db.query<KeyOfStream[]>(
      `SELECT c.queue AS key, coalesce(s.config_version, 0) AS after
       FROM quota_changes c LEFT JOIN clocks s ON s.partition = c.partition AND s.queue = c.queue
       WHERE c.partition = $1 AND c.version > coalesce(s.config_version, 0)
         AND c.changed_at < clock_timestamp() - make_interval(secs => $2)
       ORDER BY c.version LIMIT $3`,
      [partition, graceMs / 1000, queuesAtOnce],
    );
    if (behind.length === 0) return [];
    const place = { partition, stream: configStream(partition) };
    const events = await readKeysOfStream(this.db, place, behind, [
      catalog.QuotaChanged.type,
      catalog.QueueRemoved.type,
    ]);
    const handled = await this.alreadyHandled(partition, events);
    return clockEvents(events.filter(({ id }) => !handled.has(id)));
  }

  /**
   * Ends of runs that still hold the lock of their queue. Nothing else would release it: the lease of a run with an end does not count.
   *
   * @param graceMs younger ends may still be on their way.
   */
  async ends(partition: string, graceMs: number): Promise<ClockEvent[]> {
    // The end is the last event of a run, which may have very many.
    const found = await this.db.query<{ id: string }[]>(
      `SELECT e.id FROM clocks s
       CROSS JOIN LATERAL (SELECT id, type, recorded_at FROM events
                           WHERE stream = $2 || s.running_enforcement ORDER BY version DESC LIMIT 1) e
       WHERE s.partition = $1 AND s.running_enforcement IS NOT NULL AND e.type = $3
         AND e.recorded_at < clock_timestamp() - make_interval(secs => $4)
       ORDER BY s.queue LIMIT $5`,
      [partition, enforcementStream(''), catalog.EnforcementEnded.type, graceMs / 1000, queuesAtOnce],
    );
    const ids = found.map(({ id }) => id);
    const events = await readEventsById(this.db, ids, new Set(ids));
    return clockEvents(ids.flatMap((id) => events.get(id) ?? []));
  }

  /**
   * Changes that the consumer of clocks has handled although their version is not on record: applied again they would start a run that
   * has ended. Records their versions. A dead letter was not applied.
   */
  private async alreadyHandled(partition: string, events: readonly StoredEvent[]): Promise<Set<string>> {
    if (events.length === 0) return new Set();
    const rows = await this.db.query<{ id: string; queue: string; version: number }[]>(
      `SELECT e.id, e.queue, e.version
       FROM unnest($1::uuid[], $2::text[], $3::int[], $4::xid8[], $5::bigint[])
              AS e (id, queue, version, transaction_id, position)
       LEFT JOIN subscriptions s ON s.name = $6
       WHERE (EXISTS (SELECT FROM inbox WHERE consumer = $6 AND event_id = e.id)
              OR (e.transaction_id, e.position) <= (s.transaction_id, s.position))
         AND NOT EXISTS (SELECT FROM dead_letters WHERE consumer = $6 AND event_id = e.id)`,
      [
        events.map(({ id }) => id),
        events.map(({ key }) => key),
        events.map(({ version }) => version),
        events.map(({ transactionId }) => transactionId),
        events.map(({ position }) => position),
        clockConsumer,
      ],
    );
    await noteVersions(this.db, partition, rows);
    return new Set(rows.map(({ id }) => id));
  }
}

const clockEvents = (events: StoredEvent[]): ClockEvent[] => events.map(known).filter(isClockEvent);
