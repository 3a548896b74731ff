import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Unreadable } from '#contracts/api';
import { decodeEvent, type EventContent, UnreadableEvent } from '#event-store';
import type { FoldedEvent } from './folded-event.js';

const named = 20;
/** Some milliseconds of work, before other work of this process gets its turn. */
const atOnce = 250;

/**
 * Reads the events of a page, and counts those that break their schema.
 *
 * @throws NewerEvent: otherwise the tables would permanently lack events of a newer release.
 */
export async function readKnown(events: EventContent[], unreadable: Unreadable): Promise<FoldedEvent[]> {
  const read: FoldedEvent[] = [];
  for (const [i, event] of events.entries()) {
    if (i % atOnce === atOnce - 1) await nextTurn();
    try {
      const { partition, key, time } = event;
      read.push({ ...decodeEvent(event), partition, key, time } as FoldedEvent);
    } catch (error) {
      if (!(error instanceof UnreadableEvent)) throw error;
      unreadable.count++;
      if (unreadable.first.length < named) unreadable.first.push(error.message);
    }
  }
  return read;
}
