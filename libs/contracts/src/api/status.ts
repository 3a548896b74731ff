import { z } from 'zod';
import type { Subject } from '../subject.js';
import { enforcementView } from './enforcements.js';
import { partitionStatus } from './inventory.js';
import { freezeView, partitionView } from './operator.js';
import { timerView } from './queues.js';
import { amounts, count, runbookPage, subjectView, time } from './shapes.js';

/** The first of a list, and how long the list is. */
const firstOf = <T extends z.ZodType>(item: T, what: string, order: string) =>
  z.object({
    count: count.describe(what),
    first: z.array(item).describe(`The first 20, ${order}.`),
  });

export const queueAbove = z
  .object({
    queue: z.string(),
    above: amounts.describe('The usage above the quota, without work that is leaving.'),
    code: z.string(),
    reason: z.string().describe('One sentence.'),
    enforcement: z.string().nullable().describe('The run that the reason is about.'),
    blocked: z
      .string()
      .optional()
      .describe('The code of what kept its last run from its target, such as `guaranteed-floor`.'),
  })
  .meta({ id: 'QueueAboveQuota' });
export type QueueAbove = z.infer<typeof queueAbove>;

/** Something that does not continue without a person. */
export const attention = z
  .object({
    code: z.string(),
    message: z.string().describe('One sentence.'),
    remedy: z.string().describe('The remedy, without a full stop.'),
    runbook: runbookPage,
    about: subjectView as unknown as z.ZodType<Subject>,
  })
  .meta({ id: 'Attention' });
export type Attention = z.infer<typeof attention>;

export const partitionSituation = z
  .object({
    ...partitionView.shape,
    freezes: z.array(freezeView).describe('Those in effect now.'),
    above: firstOf(
      queueAbove,
      'Queues above their quota.',
      'those without a reason before the others, by path',
    ),
    due: firstOf(timerView, 'Clocks of quotas that run.', 'by due time'),
    suspended: count.describe('Clocks of quotas that are suspended.'),
    running: firstOf(enforcementView, 'Runs in progress that do not wait for approval.', 'oldest first'),
    waiting: firstOf(enforcementView, 'Runs that wait for approval.', 'oldest first'),
    inventory: partitionStatus.nullable().describe('Reports of the cluster; null if it is simulated.'),
  })
  .meta({ id: 'PartitionSituation' });
export type PartitionSituation = z.infer<typeof partitionSituation>;

/** The status that an operator checks first. */
export const statusView = z
  .object({
    at: time,
    attention: z.array(attention).describe('Problems that need attention; empty if there are none.'),
    down: z
      .array(
        z.object({
          name: z.string().describe('As in `/readyz`: `database`, `kafka`, `redis`.'),
          code: z.string(),
          reason: z.string(),
        }),
      )
      .optional()
      .describe('Servers that do not answer, or refuse work.'),
    incomplete: z
      .boolean()
      .optional()
      .describe('true: the database did not answer, and everything else but `down` is not known.'),
    partitions: z.array(partitionSituation),
    unread: count.describe('Reports of schedulers on Kafka that are not applied yet.'),
    consumers: z
      .array(
        z.object({
          name: z.string(),
          lag: count.describe('Events of the log that it has not handled yet.'),
          ageSeconds: z.number().describe('The age of the first of them.'),
        }),
      )
      .describe(
        'Consumers of the process that answers, those that are behind first; none while Kafka, which knows it, does not answer.',
      ),
    deadLetters: count,
    webhook: z
      .object({
        pending: count.describe('Messages that are not delivered yet.'),
        failing: count.describe('Pending messages of which several attempts have failed.'),
        dead: count.describe('Messages that were given up since the last delivery.'),
        lastDeliveredAt: time.nullable(),
        lastError: z
          .string()
          .nullable()
          .describe('Error of the last failed attempt to deliver one of these messages.'),
      })
      .meta({ id: 'WebhookStatus' })
      .nullable()
      .describe('null: no webhook is configured.'),
  })
  .meta({ id: 'Status' });
export type WebhookStatus = NonNullable<z.infer<typeof statusView>['webhook']>;
export type StatusView = z.infer<typeof statusView>;
