import { catalog } from '@curtail/contracts';
import {
  configStream,
  executionStream,
  known,
  readKeysOfStream,
  type StoredEvent,
} from '@curtail/event-store';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type ClockEvent, isClockEvent } from '../clock-events.js';

/** Queues for which events are read with one statement. */
export const queuesAtOnce = 1000;

interface Behind {
  queue: string;
  after: number;
  version: number;
}

/**
 * Finds events in the log that never arrived at a clock: changes of quotas that are newer than what the clock applied last, and
 * ends of runs that still hold the lock of their queue.
 */
@Injectable()
export class FindMissedEvents {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  /** @param graceMs what is younger may still be on its way. */
  async changes(partition: string, graceMs: number): Promise<ClockEvent[]> {
    const behind: Behind[] = await this.db.query(
      `SELECT c.queue, coalesce(s.config_version, 0) AS after, c.version
       FROM quota_changes c LEFT JOIN schedules s ON s.partition = c.partition AND s.queue = c.queue
       WHERE c.partition = $1 AND c.version > coalesce(s.config_version, 0)
         AND c.changed_at < clock_timestamp() - make_interval(secs => $2)
       ORDER BY c.version LIMIT $3`,
      [partition, graceMs / 1000, queuesAtOnce],
    );
    if (behind.length === 0) return [];
    const appliedUpTo = new Map(behind.map(({ queue, after }) => [queue, after]));
    const events = await readKeysOfStream(this.db, configStream(partition), {
      keys: [...appliedUpTo.keys()],
      types: [catalog.QuotaChanged.type, catalog.QueueRemoved.type],
      after: Math.min(...behind.map(({ after }) => after)),
      upTo: Math.max(...behind.map(({ version }) => version)),
    });
    return clockEvents(events.filter(({ key, version }) => version > (appliedUpTo.get(key) ?? 0)));
  }

  /** @param graceMs as above. */
  async ends(partition: string, graceMs: number): Promise<ClockEvent[]> {
    const events: StoredEvent[] = await this.db.query(
      `SELECT e.transaction_id::text AS "transactionId", e.position::text, e.stream, e.version, e.id, e.type, e.topic,
              e.partition, e.key, e.time, e.data
       FROM schedules s JOIN events e ON e.stream = $2 || s.running_enforcement AND e.type = $3
       WHERE s.partition = $1 AND s.running_enforcement IS NOT NULL
         AND e.time < clock_timestamp() - make_interval(secs => $4)
       LIMIT $5`,
      [partition, executionStream(''), catalog.EnforcementEnded.type, graceMs / 1000, queuesAtOnce],
    );
    return clockEvents(events);
  }
}

const clockEvents = (events: StoredEvent[]): ClockEvent[] => events.map(known).filter(isClockEvent);
