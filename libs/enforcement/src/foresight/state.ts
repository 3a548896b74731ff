import type { Facts, Resources } from '#contracts';
import type { Stop } from '../run/control.js';

/** What a plan would take from one application. */
export interface PlannedOwner {
  application: string;
  /** Absent: unknown. */
  user?: string;
  victims: number;
  /** The first of them by rank. */
  allocations: readonly string[];
  /** Of the ids of all of them. */
  digest: string;
  resources: Resources;
  /** Of the first of them. */
  rule: string;
  facts?: Facts;
  reason: string;
}

/** What an owner knows. */
export interface Foreseen extends PlannedOwner {
  dueAt: string;
  /** When a check first found it. */
  since: string;
  /** How many in a row have found it. */
  checks: number;
  needsApproval: boolean;
}

/**
 * What the owners of one queue know about the next run of its clock (docs/how-to/advance-notice.md):
 *
 * ```
 *                VictimForeseen                      VictimForeseen: something changed
 *   unknown ─────────────────────▶ foreseen ─────────────────────────────────▶ foreseen
 *      ▲                              │
 *      ├──────────────────────────────┤  ForesightWithdrawn
 *      └──────────────────────────────┘  EnforcementStarted: the plan of the run counts from then on
 * ```
 *
 * Only the planner writes the stream `foresight-<partition>/<queue>`. An event of another run begins from nothing: whatever was
 * known of the one before has ended with it.
 */
export interface Foresight {
  /** The run that is foreseen; undefined: none. */
  readonly enforcement?: string;
  /** By application. */
  readonly owners: ReadonlyMap<string, Foreseen>;
}

export const nothingForeseen: Foresight = { owners: new Map() };

/** Why nothing is foreseen any more for the clock of a queue: its code and the end of a sentence. */
export interface CalledOff {
  code: string;
  message: string;
}

/** The clock ended without a run, with the cause of `EnforcementCancelled`. */
export function cancelledClock(queue: string, cause: string, by?: string): CalledOff {
  switch (cause) {
    case 'quota-raised':
      return { code: cause, message: `the quota of ${queue} was raised.` };
    case 'max-removed':
      return { code: cause, message: `${queue} has no quota any more.` };
    case 'delay-zero':
      return { code: cause, message: `the delay of ${queue} is 0, which turns its enforcement off.` };
    case 'queue-removed':
      return { code: cause, message: `${queue} was removed from the configuration.` };
    case 'within-quota':
    case 'not-needed':
      return { code: 'usage-fell', message: `${queue} is within its quota.` };
    case 'operator':
      return {
        code: 'cancelled',
        message: `${by === undefined ? 'an operator' : `user ${by}`} cancelled its run.`,
      };
    default:
      return { code: cause, message: `the clock of ${queue} ended (${cause.replaceAll('-', ' ')}).` };
  }
}

/** The clock is held for an unknown time: by a stop, or since quota preemption is off. Its whole delay restarts later. */
export function heldClock(partition: string, stop: Stop | undefined): CalledOff {
  const why = stop
    ? `user ${stop.by} stopped evictions in ${stop.queue ?? 'the partition'}`
    : `quota preemption is off in partition ${partition}`;
  return { code: 'suspended', message: `${why}; its delay restarts when that ends.` };
}

/** Nothing is evicted in the partition. */
export const observedOnly = (partition: string): CalledOff => ({
  code: 'observed',
  message: `partition ${partition} is only observed, and nothing is evicted there.`,
});

/** Advance notice itself was turned off. */
export const switchedOff = (queue: string): CalledOff => ({
  code: 'switched-off',
  message: `advance notice was turned off for ${queue}, so an eviction may come without it.`,
});
