import { setImmediate as nextTurn } from 'node:timers/promises';
import { knownName, type SaidEvent, UnreadableEvent } from '@curtail/event-store';
import type { FoldedEvent } from '../../read-model/folded-event.js';

/** Events of the log that this version cannot read. The live consumer put them aside; so they are left out here. */
export interface Unreadable {
  count: number;
  /** The first of them, in words. */
  first: string[];
}

const named = 20;
/** Some milliseconds of work; then whoever else waits in this process has its turn. */
const atOnce = 250;

/** Checks the events of a page against the catalog; those that it does not know are counted. */
export async function readKnown(events: SaidEvent[], unreadable: Unreadable): Promise<FoldedEvent[]> {
  const read: FoldedEvent[] = [];
  for (const [i, event] of events.entries()) {
    if (i % atOnce === atOnce - 1) await nextTurn();
    try {
      const { partition, key, time, data } = event;
      read.push({ name: knownName(event), partition, key, time, data } as FoldedEvent);
    } catch (error) {
      if (!(error instanceof UnreadableEvent)) throw error;
      unreadable.count++;
      if (unreadable.first.length < named) unreadable.first.push(error.message);
    }
  }
  return read;
}
