import { z } from 'zod';

/** The operator's say over runs. `queue` null = the whole partition; a queue covers everything below it. */
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
/** How a partition is enforced from now on. */
export const modeChanged = z.object({
  partition: z.string(),
  mode: z.enum(['observe', 'enforce']),
  by: z.string(),
});
/** A whole listing that was held is applied. `drops` of `of` running allocations are removed by it. */
export const inventoryAccepted = z.object({
  partition: z.string(),
  sequence: z.number(),
  drops: z.number(),
  of: z.number(),
  by: z.string(),
});
/** The sequences of a partition are forgotten: its sender may begin again with any. */
export const inventoryReset = z.object({
  partition: z.string(),
  /** The last ones that were known. */
  listedSequence: z.number(),
  newestSequence: z.number(),
  by: z.string(),
});
const letters = z.array(z.object({ consumer: z.string(), event: z.string() }));
/** Dead letters are handed to their consumers once more. */
export const deadLettersRetried = z.object({ partition: z.string(), letters, by: z.string() });
/** Dead letters are given up. */
export const deadLettersDiscarded = z.object({
  partition: z.string(),
  letters,
  by: z.string(),
  reason: z.string(),
});
