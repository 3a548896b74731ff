import { checkInput } from '@curtail/platform';
import { z } from 'zod';

/** How many victims a run lists by default. */
const usualVictims = 1000;

/** The parameters that select victims of a run. */
export const victimPages = z.strictObject({
  limit: z.coerce.number().int().min(1).max(10_000).default(usualVictims).describe('victims'),
  after: z
    .string()
    .regex(/^\d{1,9}$/)
    .default('0')
    .describe('`next` of the previous page.'),
});

/** Selects victims of a run: how many, after which rank. */
export interface VictimPage {
  limit: number;
  after: number;
}

/** @throws InputError that names the parameter. */
export function victimPage(query: unknown): VictimPage {
  const { limit, after } = checkInput(victimPages, query);
  return { limit, after: Number(after) };
}

/** The parameter that shortens an explanation. */
export const first = z.strictObject({
  limit: z.coerce.number().int().min(1).max(10_000).optional().describe('Absent: everything.'),
});

/** How many items of each part of an explanation to return; undefined: all. @throws InputError */
export const firstOfEach = (query: unknown): number | undefined => checkInput(first, query).limit;
