import { z } from 'zod';
import { count, pageOf, time } from './shapes.js';

const nextStep = {
  retryable: z.boolean().describe('Whether it can be retried.'),
  nextStep: z.string().describe('The remedy, without a full stop.'),
};
/** Whether a dead letter can be tried again, and what to do about it. */
export type NextStep = { [name in keyof typeof nextStep]: z.infer<(typeof nextStep)[name]> };

export const deadLetterView = z
  .object({
    ...nextStep,
    consumer: z.string(),
    event: z.string(),
    topic: z.string(),
    key: z.string(),
    type: z.string().describe('The name of the catalog, or the type of the message.'),
    parkedAt: time,
    reason: z.string(),
    field: z.string().nullable().describe('The field at fault, if the message itself is wrong.'),
    source: z.string().nullable(),
    origin: z.string().nullable().describe('Its place on Kafka, if it came from there.'),
    attempts: count.describe('Number of times that it was put aside.'),
    retryAskedAt: time.nullable().describe('When a retry was requested that has not ended.'),
    retryBy: z.string().nullable(),
    retryAt: time
      .nullable()
      .describe('When it is handled again without a request; null: only an operator has it handled.'),
  })
  .meta({ id: 'DeadLetter' });
export type DeadLetterView = z.infer<typeof deadLetterView>;
export const deadLetterPage = pageOf(deadLetterView, 'DeadLetterPage');

/** One dead letter, with its event where the log has it. */
export const deadLetterDetail = z
  .object({
    ...deadLetterView.shape,
    logged: z
      .object({
        position: z.string(),
        partition: z.string(),
        stream: z.string(),
        version: count,
        time,
        data: z.unknown(),
      })
      .nullable()
      .describe('Its event; null where it is not in the log. `position` is that of `curtail get events`.'),
  })
  .meta({ id: 'DeadLetterDetail' });
export type DeadLetterDetail = z.infer<typeof deadLetterDetail>;

const letter = z.object({ consumer: z.string(), event: z.string() });
export type Letter = z.infer<typeof letter>;

/** The effect of a command on dead letters. */
export const lettersDone = z
  .object({
    letters: z.array(letter),
    left: z.array(letter.extend({ nextStep: z.string() })).describe('Letters that cannot be retried.'),
    more: z.boolean().describe('More letters match than one request takes.'),
  })
  .meta({ id: 'DeadLettersDone' });
export type LettersDone = z.infer<typeof lettersDone>;
