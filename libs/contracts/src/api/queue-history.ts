import { z } from 'zod';
import { amounts, count, time } from './shapes.js';

/** What a mark in the plot of a queue stands for. */
export const markKinds = ['quota', 'clock', 'run', 'stop', 'setting'] as const;

export const historyMark = z
  .object({
    position: z.string().describe('Of the event in the log.'),
    at: time,
    event: z.string().describe('The name of the catalog.'),
    kind: z.enum(markKinds),
    sentence: z.string(),
    by: z
      .string()
      .nullable()
      .describe('The person who caused it; null: no person did, or the name is not known.'),
    enforcement: z.string().nullable().describe('The run that it belongs to.'),
    configuration: count.nullable().describe('The version of the configuration that it belongs to.'),
    count: z
      .number()
      .int()
      .min(1)
      .describe(
        'The number of events that the mark stands for: of older events, only the last of each period is shown.',
      ),
  })
  .meta({ id: 'HistoryMark' });
export type HistoryMark = z.infer<typeof historyMark>;

/** The history of one queue, for a plot: as the log has it, coarser with age. */
export const queueHistory = z
  .object({
    partition: z.string(),
    queue: z.string(),
    since: time.describe('Everything below is as of this time or later.'),
    at: time.describe('The moment of the answer, by the clock of the database.'),
    quotas: z
      .array(z.object({ at: time, max: amounts.nullable(), delaySeconds: z.number() }))
      .describe('Each quota from its time on, the oldest first; null: no limit.'),
    usage: z
      .array(z.object({ at: time, amounts }))
      .describe(
        'The usage at the moments at which the log states it: of each plan, after evictions, and where a queue was found above its quota; at last that of now. The oldest first.',
      ),
    marks: z.array(historyMark).describe('The latest first, 2000 at most.'),
    isWhole: z
      .boolean()
      .describe('false: there are more marks in this time than are shown; ask for a shorter one.'),
  })
  .meta({ id: 'QueueHistory' });
export type QueueHistory = z.infer<typeof queueHistory>;
