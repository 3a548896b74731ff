import { z } from 'zod';
import { checkInput } from '#platform';

/** How many victims a run lists by default. */
const usualVictims = 1000;

const of = (group: string) =>
  z
    .string()
    .max(4096)
    .optional()
    .describe(`Only victims of this ${group}; empty: those of which it is not known.`);

/** The parameters that select victims of a run. */
export const victimPages = z.strictObject({
  limit: z.coerce.number().int().min(1).max(10_000).default(usualVictims).describe('victims'),
  after: z
    .string()
    .regex(/^\d{1,9}$/)
    .default('0')
    .describe('`next` of the previous page.'),
  owner: of('owner'),
  application: of('application'),
  queue: of('queue'),
  rule: of('rule, by its code'),
});

/** The groups that victims of a run can be selected by. */
export const victimGroupings = ['owner', 'application', 'queue', 'rule'] as const;

/** Selects victims of a run: how many, after which rank, of which groups ('': of none). */
export interface VictimPage extends Partial<Record<(typeof victimGroupings)[number], string>> {
  limit: number;
  after: number;
}

/** @throws InputError that names the parameter. */
export function victimPage(query: unknown): VictimPage {
  const { after, ...page } = checkInput(victimPages, query);
  return { ...page, after: Number(after) };
}

/** The parameter that shortens an explanation. */
export const first = z.strictObject({
  limit: z.coerce.number().int().min(1).max(10_000).optional().describe('Absent: everything.'),
  groups: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(10)
    .describe('How many groups of victims the summary lists of each kind.'),
});

/** How many items of each part of an explanation to return (undefined: all), and how many groups of victims. @throws InputError */
export const firstOfEach = (query: unknown): z.infer<typeof first> => checkInput(first, query);
