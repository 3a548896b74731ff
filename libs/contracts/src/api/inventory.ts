import { z } from 'zod';
import type { Subject } from '../subject.js';
import { count, oneOf, pageOf, runbookPage, subjectView, time } from './shapes.js';

/** A whole listing that is held until a second one confirms it, or an operator accepts it. */
export const heldListing = z
  .object({
    sequence: count,
    since: time,
    drops: count.describe('Running allocations that it would remove.'),
    of: count.describe('All running allocations.'),
    queues: z
      .array(z.object({ queue: z.string(), drops: count }))
      .describe('The queues that would lose most; ten at most.'),
  })
  .meta({ id: 'HeldListing' });
export type HeldListing = z.infer<typeof heldListing>;

/** A finding about the reports of a partition. */
export const inventoryNotice = z
  .object({
    code: z.string(),
    message: z.string(),
    about: subjectView as unknown as z.ZodType<Subject>,
    remedy: z.string(),
    runbook: runbookPage,
    since: time.nullable(),
    count: count.nullable().describe('Number of reports or listings that it concerns.'),
    source: z.string().nullable(),
  })
  .meta({ id: 'InventoryNotice' });
export type InventoryNotice = z.infer<typeof inventoryNotice>;

export const partitionStatus = z
  .object({
    partition: z.string(),
    known: z.boolean().describe('Whether Curtail relies on these reports to plan and evict.'),
    source: z.string().nullable(),
    lastReportAt: time.nullable().describe('When the last report was sent, by the clock of the sender.'),
    listedAt: time.nullable(),
    listedSequence: count,
    newestSequence: count,
    held: heldListing.nullable(),
    notices: z
      .array(inventoryNotice)
      .describe('Notices about the reports; those that make the partition unknown come first.'),
  })
  .meta({ id: 'PartitionInventory' });
export type PartitionStatus = z.infer<typeof partitionStatus>;

export const inventoryStatus = z
  .object({
    items: z.array(partitionStatus),
    unread: z
      .array(z.object({ place: z.string(), reports: count }))
      .describe('Kafka partitions with reports that are not applied yet.'),
  })
  .meta({ id: 'InventoryStatus' });
export type InventoryStatus = z.infer<typeof inventoryStatus>;

export const inventoryAcceptedAnswer = z
  .object({
    partition: z.string(),
    sequence: count,
    drops: count.describe('Number of running allocations that the listing removed.'),
    of: count.describe('Number of running allocations before the listing.'),
  })
  .meta({ id: 'InventoryAccepted' });

export const inventoryResetAnswer = z
  .object({ partition: z.string(), listedSequence: count, newestSequence: count })
  .meta({ id: 'InventoryReset' });

export type FeedKind = 'inventory' | 'configuration';
export type IgnoredReason =
  | 'invalid'
  | 'other-cluster'
  | 'other-version'
  | 'outdated-sequence'
  | 'unknown-partition';

/** A sender of reports or configurations over Kafka. */
export const feedView = z
  .object({
    partition: z
      .string()
      .nullable()
      .describe('null if none of its messages could be handled: all are dead letters.'),
    kind: oneOf<FeedKind>({ inventory: true, configuration: true }),
    source: z.string().describe('The CloudEvents source; empty if its messages have none.'),
    messages: count.describe('Messages that were handled, ignored ones included.'),
    sequence: count.nullable().describe('Sequence of the last report.'),
    submission: z.string().nullable().describe("The sender's id of the last configuration."),
    inForce: count
      .nullable()
      .describe(
        'Reports: the greatest sequence that is applied in the partition. Configurations: the version in force, if it is of this source.',
      ),
    sentAt: time.nullable().describe('When the last message was sent, by the clock of the sender.'),
    receivedAt: time.nullable(),
    lagSeconds: z
      .number()
      .nullable()
      .describe(
        'Time from sending to handling the last message, each by its own clock: negative if that of the sender is ahead.',
      ),
    configured: z.boolean().describe('Whether a configuration of the partition is in force.'),
    known: z.boolean().nullable().describe('Reports: whether Curtail relies on them to plan and evict.'),
    ignored: z
      .array(
        z.object({
          reason: oneOf<IgnoredReason>({
            invalid: true,
            'other-cluster': true,
            'other-version': true,
            'outdated-sequence': true,
            'unknown-partition': true,
          }),
          count,
        }),
      )
      .describe('Messages without effect, by reason.'),
    ignoredAt: time.nullable().describe('When the last one was ignored.'),
    notices: z.array(inventoryNotice).describe('Gaps and other problems of its reports, with remedies.'),
    deadLetters: count.describe('Dead letters of this source, in all partitions.'),
    nextStep: z.string().nullable().describe('The command that lists its dead letters.'),
  })
  .meta({ id: 'Feed' });
export type FeedView = z.infer<typeof feedView>;

export const feedPage = pageOf(feedView, 'FeedPage');
