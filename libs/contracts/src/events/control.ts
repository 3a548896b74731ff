import { z } from 'zod';
import { commanded, instant, sent } from './shapes.js';

/**
 * When a freeze is in effect: once, or recurring (RFC 5545). `start` is a local time of the zone; `duration` is that of ISO 8601, whose
 * days are days of the calendar.
 */
export const freezeWindow = z.union([
  z.object({ from: instant, until: instant }),
  z.object({ start: z.string(), timeZone: z.string(), duration: z.string(), rule: z.string() }),
]);
export type FreezeWindow = z.infer<typeof freezeWindow>;

/** Commands of operators over runs. `queue` null = the whole partition; a queue covers everything below it. */
export const killSwitchSet = z.object({
  partition: z.string(),
  queue: z.string().nullable(),
  ...commanded,
});
export const killSwitchCleared = z.object({
  partition: z.string(),
  queue: z.string().nullable(),
  ...sent,
});
/** No clock of the queue and of those below starts a run in the window. `queue` null = the whole partition. */
export const freezeSet = z.object({
  partition: z.string(),
  queue: z.string().nullable(),
  freeze: z.string(),
  window: freezeWindow,
  /** The configuration sets it, and `by` sent that; absent: an operator set it. */
  configured: z.literal(true).optional(),
  ...commanded,
});
/** These freezes no longer hold. */
export const freezeCleared = z.object({
  partition: z.string(),
  freezes: z.array(z.object({ freeze: z.string(), queue: z.string().nullable() })).min(1),
  /** A configuration without them, sent by `by`; absent: an operator cleared them. */
  configured: z.literal(true).optional(),
  ...sent,
});
export const cancelRequested = z.object({
  partition: z.string(),
  queue: z.string(),
  enforcement: z.string(),
  ...commanded,
});
const configuration = {
  partition: z.string(),
  /** The version. */
  configuration: z.number().int().min(1),
  ...commanded,
  /** Its runs at that time that were not over. */
  runs: z.number().int().min(0),
};
/** All runs that a version of the configuration causes need no approval, and no ceiling holds them, until then. */
export const configurationApproved = z.object({ ...configuration, until: instant });
/** All runs that a version of the configuration causes end, also those that are still to start. */
export const configurationRejected = z.object(configuration);
/** A run of a queue that is above its quota is requested: at once, or after the delay of the queue. */
export const enforcementRequested = z.object({
  partition: z.string(),
  queue: z.string(),
  atOnce: z.boolean(),
  ...commanded,
});
/** Enforcement mode of a partition from now on. */
export const modeChanged = z.object({
  partition: z.string(),
  mode: z.enum(['observe', 'enforce']),
  ...sent,
});
/** Settings of a queue and all below it, `root` for the partition: each `from` and `to` is null where no operator has set it. */
export const settingsChanged = z.object({
  partition: z.string(),
  queue: z.string(),
  changes: z.array(z.object({ setting: z.string(), from: z.unknown(), to: z.unknown() })).min(1),
  ...commanded,
});
/** A held listing is applied. It removes `drops` of `of` running allocations. */
export const inventoryAccepted = z.object({
  partition: z.string(),
  sequence: z.number(),
  drops: z.number(),
  of: z.number(),
  ...sent,
});
/** The sequences of a partition are reset: its sender may restart from any number. */
export const inventoryReset = z.object({
  partition: z.string(),
  /** The last known ones. */
  listedSequence: z.number(),
  newestSequence: z.number(),
  ...sent,
});
const letters = z.array(z.object({ consumer: z.string(), event: z.string() }));
/** Dead letters are passed to their consumers again. */
export const deadLettersRetried = z.object({
  partition: z.string(),
  letters,
  ...sent,
});
/** Dead letters are discarded. */
export const deadLettersDiscarded = z.object({
  partition: z.string(),
  letters,
  ...sent,
  reason: z.string(),
});
