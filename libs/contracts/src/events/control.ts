import { z } from 'zod';

/** Commands of operators over runs. `queue` null = the whole partition; a queue covers everything below it. */
export const killSwitchSet = z.object({
  partition: z.string(),
  queue: z.string().nullable(),
  by: z.string(),
  reason: z.string().optional(),
});
export const killSwitchCleared = z.object({
  partition: z.string(),
  queue: z.string().nullable(),
  by: z.string(),
});
export const cancelRequested = z.object({
  partition: z.string(),
  queue: z.string(),
  enforcement: z.string(),
  by: z.string(),
  reason: z.string().optional(),
});
/** A run of a queue that is above its quota is requested: at once, or after the delay of the queue. */
export const enforcementRequested = z.object({
  partition: z.string(),
  queue: z.string(),
  atOnce: z.boolean(),
  by: z.string(),
  reason: z.string().optional(),
});
/** Enforcement mode of a partition from now on. */
export const modeChanged = z.object({
  partition: z.string(),
  mode: z.enum(['observe', 'enforce']),
  by: z.string(),
});
/** A held listing is applied. It removes `drops` of `of` running allocations. */
export const inventoryAccepted = z.object({
  partition: z.string(),
  sequence: z.number(),
  drops: z.number(),
  of: z.number(),
  by: z.string(),
});
/** The sequences of a partition are reset: its sender may restart from any number. */
export const inventoryReset = z.object({
  partition: z.string(),
  /** The last known ones. */
  listedSequence: z.number(),
  newestSequence: z.number(),
  by: z.string(),
});
const letters = z.array(z.object({ consumer: z.string(), event: z.string() }));
/** Dead letters are passed to their consumers again. */
export const deadLettersRetried = z.object({ partition: z.string(), letters, by: z.string() });
/** Dead letters are discarded. */
export const deadLettersDiscarded = z.object({
  partition: z.string(),
  letters,
  by: z.string(),
  reason: z.string(),
});
