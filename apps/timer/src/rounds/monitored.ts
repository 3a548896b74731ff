import { type PartitionPolicies } from '@curtail/configuration';
import { InputError, readIntraQueueSettings } from '@curtail/contracts';
import { toInstant } from '@curtail/enforcement';

/** The policy of these rounds, and so the kind of their timers. */
export const roundPolicy = 'intra-queue';

/** The other one, whose beat all its partitions share (docs/reference/policies/fair-share.md). */
export const fairShare = 'fair-share';

/** A round is about all queues: its timer, its run and its events stand under this one. */
export const roundQueue = 'root';

/**
 * How often rounds of a partition begin, in milliseconds; undefined if its configuration does not name the policy, or switches
 * it off.
 */
export function monitoringIntervalMs(policies: PartitionPolicies | undefined): number | undefined {
  const settings = policies?.[roundPolicy];
  if (settings === undefined) return undefined;
  try {
    const { enabled, monitoringInterval } = readIntraQueueSettings(settings);
    return enabled ? monitoringInterval : undefined;
  } catch (error) {
    // They were judged when they were saved, perhaps by a version that knew others. What cannot be read starts nothing.
    if (!(error instanceof InputError)) throw error;
    return undefined;
  }
}

/**
 * The first beat after `now` of a rhythm that had one at `dueAt`: beats that were slept through are not made up for. An interval
 * may be so long that no calendar has its end.
 */
export function nextBeat(dueAt: Date, now: Date, intervalMs: number): Date {
  const lateMs = now.getTime() - dueAt.getTime();
  const beats = Math.floor(Math.max(0, lateMs) / intervalMs) + 1;
  return new Date(toInstant(dueAt.getTime() + beats * intervalMs));
}
