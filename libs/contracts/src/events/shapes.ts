import { z } from 'zod';

/** Shapes that several events share. Amounts are in base units (docs/reference/snapshot.md). */
export const resources = z.record(z.string(), z.number().int().min(0).max(Number.MAX_SAFE_INTEGER));
export const instant = z.iso.datetime({ precision: 3 });

/** What a clock looks at. `max: null` = no limit; `delayMs` is the effective delay, 0 = off. */
export const quotaValues = z.object({ max: resources.nullable(), delayMs: z.number().int().min(0) });
export type QuotaValues = z.infer<typeof quotaValues>;

export const notice = z.object({ code: z.string(), message: z.string() });
