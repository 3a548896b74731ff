import { z } from 'zod';
import type { Subject } from '../subject.js';
import { count, subjectView, time } from './shapes.js';

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
    since: time.nullable(),
    count: count.nullable().describe('How many reports or listings it concerns.'),
    source: z.string().nullable(),
  })
  .meta({ id: 'InventoryNotice' });
export type InventoryNotice = z.infer<typeof inventoryNotice>;

export const partitionStatus = z
  .object({
    partition: z.string(),
    known: z.boolean().describe('Whether Curtail plans and evicts by these reports.'),
    source: z.string().nullable(),
    lastReportAt: time.nullable().describe('By the clock of the sender.'),
    listedAt: time.nullable(),
    listedSequence: count,
    newestSequence: count,
    held: heldListing.nullable(),
    notices: z.array(inventoryNotice).describe('Those that make the partition unknown come first.'),
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

export const inventoryAccepted = z
  .object({
    partition: z.string(),
    sequence: count,
    drops: count.describe('Running allocations that the listing removed.'),
    of: count.describe('All running allocations before.'),
  })
  .meta({ id: 'InventoryAccepted' });

export const inventoryReset = z
  .object({ partition: z.string(), listedSequence: count, newestSequence: count })
  .meta({ id: 'InventoryReset' });
