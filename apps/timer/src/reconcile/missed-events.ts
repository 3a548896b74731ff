import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { catalog } from '#contracts/events';
import { configStream, known, readEventsById, readKeysOfStream, type StoredEvent } from '#event-store';
import { noteVersions } from '#runs';
import { type ClockEvent, isClockEvent } from '../clocks/clock-event.js';
import { appliedChanges, endsWithLock, queuesBehind } from './reconcile-statements.js';

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
    const behind = await queuesBehind(this.db, { partition, graceMs, limit: queuesAtOnce });
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
    const ids = await endsWithLock(this.db, { partition, graceMs, limit: queuesAtOnce });
    const events = await readEventsById(this.db, ids, new Set(ids));
    return clockEvents(ids.flatMap((id) => events.get(id) ?? []));
  }

  /**
   * Changes that the consumer of clocks has handled although their version is not on record: applied again they would start a run that
   * has ended. Records their versions. A dead letter was not applied.
   */
  private async alreadyHandled(partition: string, events: readonly StoredEvent[]): Promise<Set<string>> {
    if (events.length === 0) return new Set();
    const rows = await appliedChanges(this.db, events);
    await noteVersions(this.db, partition, rows);
    return new Set(rows.map(({ id }) => id));
  }
}

const clockEvents = (events: StoredEvent[]): ClockEvent[] => events.map(known).filter(isClockEvent);
