import { z } from 'zod';
import {
  id,
  inboundLimits,
  moment,
  partitionName,
  priority,
  properties,
  queuePath,
  reportedAmounts,
  reportedTexts,
  sequence,
} from './inbound-shapes.js';

/*
 * Reports of a scheduler about its cluster. Kafka orders messages within one key only, and may deliver each twice; so every report
 * carries the sender's sequence, and for each subject the report with the greatest one counts: a release that arrives before the start,
 * or a late start, does no harm.
 */

const report = { partition: partitionName, sequence };

/** Fields as in docs/reference/snapshot.md, "ClusterSnapshot". */
const node = {
  id,
  capacity: reportedAmounts.optional(),
  labels: reportedTexts.optional(),
  /** false: nothing starts there, but its capacity still counts. */
  schedulable: z.boolean().optional(),
};
const application = {
  id,
  queue: queuePath,
  user: z.string().max(inboundLimits.idCharacters).optional(),
  priority: priority.optional(),
  submittedAt: moment.optional(),
  pending: z
    .array(z.object({ resources: reportedAmounts, count: z.number().int().min(0).max(1_000_000_000) }))
    .max(inboundLimits.pending)
    .optional(),
  properties: properties.optional(),
  /** Its running tasks and originators are of use together only: fewer than `minMembers` do no work. */
  gang: z.object({ minMembers: z.number().int().min(1).max(1_000_000) }).optional(),
};
const allocation = {
  id,
  /** This incarnation: another one with the same id has another uid. If ids are never reused, repeat the id. */
  uid: id,
  application: id,
  queue: queuePath,
  node: id.optional(),
  resources: reportedAmounts,
  priority: priority.optional(),
  startedAt: moment,
  /** Its work up to here is saved. The latest checkpoint of an incarnation holds, also where a later report has none. */
  checkpointedAt: moment.optional(),
  /** The disruption budgets that it counts in, by id. One that was not reported, or was removed, allows nothing. */
  budgets: z
    .array(id)
    .max(inboundLimits.budgets)
    .refine((ids) => new Set(ids).size === ids.length, 'names a budget twice; write each id once')
    .optional(),
  role: z.enum(['task', 'originator', 'daemon', 'placeholder']).optional(),
  allowPreemption: z.boolean().optional(),
  /** Never evicted, whatever a plan needs; default false. */
  protected: z.boolean().optional(),
  /** Its owner was notified of a possible eviction and has finished its preparations: its time may end now; default false. */
  readyToGo: z.boolean().optional(),
  state: z.enum(['running', 'releasing', 'preempting']).optional(),
  /** For a long-lived allocation that runs one job after another; default `startedAt`. */
  lastJobStartedAt: moment.optional(),
  /** It can be asked to finish; default true. */
  interruptible: z.boolean().optional(),
};

/** How many of the allocations that name it may still go; what is leaving already is taken off. */
const budget = { id, allowed: z.number().int().min(0).max(1_000_000_000) };

/** An allocation runs. Sent again, complete and with a greater sequence, when it has changed. */
export const allocationStarted = z.object({ ...report, ...allocation });
/** It no longer runs and holds nothing. */
export const allocationReleased = z.object({ ...report, id, uid: id });

/** Sent again, complete, when it has changed. */
export const applicationSubmitted = z.object({ ...report, ...application });
export const applicationEnded = z.object({ ...report, id });

/** Sent again, complete, when it has changed. */
export const nodeAdded = z.object({ ...report, ...node });
export const nodeRemoved = z.object({ ...report, id });

/** Sent again when `allowed` has changed. */
export const budgetSet = z.object({ ...report, ...budget });
/** It is no longer there. Report the allocations that named it again without it: until then they are not evicted. */
export const budgetRemoved = z.object({ ...report, id });

/**
 * One page of everything that exists at the moment of its sequence. With the last of the pages, anything in none of them and not
 * reported since is gone.
 */
export const inventoryListed = z.object({
  ...report,
  /** From 1. */
  page: z.number().int().min(1).max(inboundLimits.pages),
  last: z.boolean(),
  nodes: z.array(z.object(node)).max(inboundLimits.pageItems).optional(),
  applications: z.array(z.object(application)).max(inboundLimits.pageItems).optional(),
  allocations: z.array(z.object(allocation)).max(inboundLimits.pageItems).optional(),
  budgets: z.array(z.object(budget)).max(inboundLimits.pageItems).optional(),
});

/**
 * The sender is alive and has nothing to add. `lastSequence` is the sequence of its last report: it reveals reports that were lost on
 * the way.
 */
export const inventoryConfirmed = z.object({ partition: partitionName, lastSequence: sequence.optional() });
