import { z } from 'zod';
import type { Subject } from '../subject.js';
import { count, oneOf, subjectView, time } from './shapes.js';

/** The types that an installation may select. */
export type WebhookType =
  | 'run.waits-for-approval'
  | 'run.rejected'
  | 'run.failed'
  | 'cluster.unknown'
  | 'victim.foreseen'
  | 'foresight.withdrawn';

const webhookType = oneOf<WebhookType>({
  'run.waits-for-approval': true,
  'run.rejected': true,
  'run.failed': true,
  'cluster.unknown': true,
  'victim.foreseen': true,
  'foresight.withdrawn': true,
});
export const webhookTypes: readonly WebhookType[] = webhookType.options;

/** The body of a message to the webhook: docs/how-to/webhook.md, "What a message contains". */
export const webhookMessage = z
  .object({
    type: z.enum([...webhookType.options, 'test']).describe('`test`: an operator tests the webhook.'),
    timestamp: time.describe(
      'When it happened, or when the wait began; the header has the time of the attempt.',
    ),
    data: z.object({
      partition: z.string(),
      queue: z.string().optional().describe('Queue of the run; `root` for a round.'),
      enforcement: z.string().optional().describe('Id of the run.'),
      policy: z.string().optional().describe('Policy of the run.'),
      victims: count
        .optional()
        .describe(
          'Number of victims in the plan of a run that waits for approval; for an advance notice: of the application.',
        ),
      application: z.string().optional().describe('For an advance notice: whose allocations are meant.'),
      user: z
        .string()
        .optional()
        .describe('For an advance notice: the user of the application, where known.'),
      allocations: z
        .array(z.string())
        .optional()
        .describe(
          'For an advance notice: the first allocations that would be evicted; `victims` counts all.',
        ),
      dueAt: time.optional().describe('For an advance notice: when the run is due.'),
      changes: z
        .array(z.string())
        .optional()
        .describe('For an advance notice: `new`, or what changed since the last one.'),
      since: time.optional().describe('For an advance notice: when a check first found the application.'),
      checks: count.optional().describe('For an advance notice: how many checks in a row have found it.'),
      needsApproval: z
        .boolean()
        .optional()
        .describe("Of an advance notice: the run would wait for an operator's approval."),
      reason: z.string().optional().describe('For an advance notice: why the first of them was chosen.'),
      reminder: count
        .optional()
        .describe(
          'Number of reminders so far about a condition that lasts: 0 in the first message about it, then 1, 2, …',
        ),
      code: z.string(),
      message: z.string().describe('One sentence for people.'),
      remedy: z.string().describe('The next step, without a full stop.'),
      about: subjectView as unknown as z.ZodType<Subject>,
    }),
  })
  .meta({ id: 'WebhookMessage', description: 'A message to the webhook, as JSON.' });
export type WebhookMessage = z.infer<typeof webhookMessage>;

export const webhookTested = z
  .object({ id: z.string().describe('Id of the message, in its header `webhook-id`.') })
  .meta({ id: 'WebhookTested' });

export const webhookResent = z
  .object({ messages: count.describe('Number of messages that are sent again.') })
  .meta({ id: 'WebhookResent' });
