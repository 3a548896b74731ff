import { z } from 'zod';
import { isStorableTime } from '../storable.js';

/** Size limits of a message from outside; a larger one is refused before it is processed. */
export const inboundLimits = {
  idCharacters: 256,
  /** Of a partition. */
  nameCharacters: 64,
  queueCharacters: 1000,
  resourceTypes: 64,
  typeCharacters: 128,
  /** Entries of labels or properties. */
  entries: 64,
  entryCharacters: 1024,
  /** Sizes of pending requests of one application. */
  pending: 1000,
  /** Disruption budgets of one allocation. */
  budgets: 16,
  /** Items of each kind in one page of a listing. */
  pageItems: 2000,
  pages: 100_000,
  messageCharacters: 2000,
} as const;

const max = inboundLimits;

/** An id of the sender's own, copied as it is. */
export const id = z.string().min(1).max(max.idCharacters);
export const partitionText = /^[a-zA-Z0-9_:#/@.-]+$/;
export const partitionName = z
  .string()
  .regex(partitionText, 'a partition is named with a-z 0-9 _ : # / @ . -, such as default')
  .max(max.nameCharacters);
export const queueText = /^[rR][oO][oO][tT](\.[a-zA-Z0-9_:#/@-]{1,64})*$/;
/** Case is ignored, as in configurations. */
export const queuePath = z
  .string()
  .regex(queueText, 'a queue is written as its path from root, such as root.research.batch')
  .max(max.queueCharacters);

/**
 * The sender's own counter: it grows with every report of a partition, also across restarts. A report older than what is known of its
 * subject changes nothing.
 */
export const sequence = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER);

const amount = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

/** Base units (docs/reference/snapshot.md, "Resources"). */
export const reportedAmounts = atMost(
  max.resourceTypes,
  z.record(z.string().min(1).max(max.typeCharacters), amount),
);
export const reportedTexts = atMost(
  max.entries,
  z.record(z.string().min(1).max(max.idCharacters), z.string().max(max.entryCharacters)),
);
/** Amounts, such as the limits of an operation, or labels, such as those of its nodes, are properties as well. */
const part = atMost(
  max.entries,
  z.record(
    z.string().min(1).max(max.idCharacters),
    z.union([z.string().max(max.entryCharacters), z.number()]),
  ),
);
export const properties = atMost(
  max.entries,
  z.record(
    z.string().min(1).max(max.idCharacters),
    z.union([z.string().max(max.entryCharacters), z.number(), z.boolean(), z.null(), part]),
  ),
);

/** RFC 3339, in any zone and in a year that the database has; digits below a millisecond are cut off. */
export const moment = z.iso
  .datetime({ offset: true })
  .refine(isStorableTime, 'it must be a time in the years 1 to 9999');
export const priority = z.number().int().min(-2_147_483_648).max(2_147_483_647);

function atMost<T extends z.ZodType<Record<string, unknown>>>(entries: number, record: T): T {
  return record
    .refine((value) => Object.keys(value).length <= entries, `at most ${entries} entries`)
    .meta({ maxProperties: entries }) as T;
}
