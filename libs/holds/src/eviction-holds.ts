import {
  type ChangeDecision,
  coveringStop,
  type ModeSettings,
  modeInForce,
  stopped,
  whyObserved,
} from '#enforcement';
import { CHANGE_OF } from './decisions.js';
import { HOLDS_OF, type Holds, stopsAt } from './holds.js';

/** Everything that is set and may hold the evictions of a run. */
export interface EvictionHolds extends Holds {
  /** What an operator has decided about all runs of its configuration, while it is in force. */
  change: ChangeDecision | null;
}

/**
 * The same as JSON, for the control of a run and for the last check before its evictions.
 *
 * @param run SQL. `queues`: an array, of the stops only those that cover one of them.
 */
export const EVICTION_HOLDS = (run: { partition: string; enforcement: string; queues?: string }) => `
  (${HOLDS_OF(run.partition, run.queues)}::jsonb || jsonb_build_object('change', ${CHANGE_OF(run.enforcement)}))`;

/** An eviction whose request is about to be made. */
interface HeldEviction {
  partition: string;
  /** Of the run. */
  queue: string;
  victimQueue: string;
  /** When the run was opened; undefined: it is not open yet. */
  openedMs: number | undefined;
}

/** What holds an eviction at a moment, with a sentence; undefined: nothing. */
export function whyHeld(
  { partition, queue, victimQueue, openedMs }: HeldEviction,
  holds: EvictionHolds,
  settings: ModeSettings,
  atMs: number,
): { code: string; message: string } | undefined {
  const { change } = holds;
  if (change && !change.approved) {
    return {
      code: 'rejected',
      message: `User ${change.by} rejected all runs of configuration ${change.configuration}.`,
    };
  }
  const inForce = modeInForce(holds.mode, settings);
  if (inForce.mode !== 'enforce') return { code: 'observe', message: `${whyObserved(inForce, partition)}.` };
  const stops = stopsAt(holds, atMs, openedMs);
  const stop = coveringStop(queue, stops) ?? coveringStop(victimQueue, stops);
  return stop && stopped(stop, partition);
}
