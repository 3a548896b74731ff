import type { Victim } from '#contracts';
import type { QueueSnapshot } from '../snapshot/by-queue.js';
import { VictimWriter } from '../snapshot/victim-writer.js';
import type { Reasons } from './reasons.js';

/** How many victims are read ahead: they fit into the processor's first cache. */
const AHEAD = 64;

/** The victims as the plan lists them, in the order of their rank. */
export function victimsOf(snapshot: QueueSnapshot, victims: Int32Array, reasons: Reasons): Victim[] {
  const writer = new VictimWriter(snapshot);
  const written = new Array<Victim>(victims.length);
  for (let i = 0; i < victims.length; i++) {
    if (i % AHEAD === 0) reasons.readAhead(victims, i, Math.min(i + AHEAD, victims.length));
    written[i] = writer.victim(victims[i]!, i + 1, reasons.of(victims[i]!));
  }
  return written;
}
