import { z } from 'zod';
import { count, runbookPage } from './shapes.js';

/** A refusal or failure (RFC 9457), media type application/problem+json. */
export const problemView = z
  .looseObject({
    type: z.string().describe('The kind of problem, for programs: `urn:curtail:problem:<code>`.'),
    title: z.string(),
    status: z.number().int(),
    detail: z.string().describe('What is wrong, in words.'),
    remedy: z.string().optional().describe('What to do next, if anything.'),
    runbook: runbookPage,
    errors: z
      .array(
        z.object({
          path: z.string().describe('The field.'),
          message: z.string(),
          line: count.optional(),
          column: count.optional(),
        }),
      )
      .optional()
      .describe('All faults of an input.'),
    requestId: z.string().optional().describe('The log has details under this id.'),
  })
  .meta({ id: 'Problem', description: 'A refusal or failure as RFC 9457 describes it.' });

export const alive = z.object({ status: z.literal('ok') }).meta({ id: 'Alive' });
export const ready = z
  .object({
    status: z.literal('ok'),
    waits: z
      .array(z.string())
      .optional()
      .describe('Consumers of this process that wait for one of a newer release.'),
  })
  .meta({ id: 'Ready' });
