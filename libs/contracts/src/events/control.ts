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
