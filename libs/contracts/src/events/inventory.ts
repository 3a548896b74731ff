import { z } from 'zod';
import {
  amounts,
  id,
  inboundLimits,
  moment,
  partitionName,
  priority,
  properties,
  queuePath,
  sequence,
  texts,
} from './inbound-shapes.js';

/*
 * What a scheduler reports of what runs in it. Kafka keeps the order of one key and no other, and may bring everything
 * twice; so every report carries the sender's sequence, and of each thing the report with the greatest one holds: a release
 * that comes before the start, or a start that comes late, does no harm.
 */

const report = { partition: partitionName, sequence };

/** Fields as in docs/reference/snapshot.md, "ClusterSnapshot". */
const node = {
  id,
  capacity: amounts.optional(),
  labels: texts.optional(),
  /** false: nothing starts there, and its capacity still counts. */
  schedulable: z.boolean().optional(),
};
const application = {
  id,
  queue: queuePath,
  user: z.string().max(inboundLimits.idCharacters).optional(),
  priority: priority.optional(),
  submittedAt: moment.optional(),
  pending: z
    .array(z.object({ resources: amounts, count: z.number().int().min(0).max(1_000_000_000) }))
    .max(inboundLimits.pending)
    .optional(),
  properties: properties.optional(),
};
const allocation = {
  id,
  /** This incarnation: another one under the same id has another. Where ids are never used twice, the id again. */
  uid: id,
  application: id,
  queue: queuePath,
  node: id.optional(),
  resources: amounts,
  priority: priority.optional(),
  startedAt: moment,
  role: z.enum(['task', 'originator', 'daemon', 'placeholder']).optional(),
  allowPreemption: z.boolean().optional(),
  /** Never evicted, whatever a plan would need; default false. */
  protected: z.boolean().optional(),
  /** Its owner was told that it may be evicted, and has done what had to be done before: its time may end now; default false. */
  readyToGo: z.boolean().optional(),
  state: z.enum(['running', 'releasing', 'preempting']).optional(),
  /** Of a long-lived allocation that runs one job after the other; default `startedAt`. */
  lastJobStartedAt: moment.optional(),
  /** It can be asked to finish; default true. */
  interruptible: z.boolean().optional(),
};

/** An allocation runs. Said again, whole and with a greater sequence, when something about it has changed. */
export const allocationStarted = z.object({ ...report, ...allocation });
/** It runs no more and holds nothing. */
export const allocationReleased = z.object({ ...report, id, uid: id });

/** Said again, whole, when something about it has changed. */
export const applicationSubmitted = z.object({ ...report, ...application });
export const applicationEnded = z.object({ ...report, id });

/** Said again, whole, when something about it has changed. */
export const nodeAdded = z.object({ ...report, ...node });
export const nodeRemoved = z.object({ ...report, id });

/**
 * One page of everything that there is at the moment of its sequence. With the last of the pages, whatever is not in them
 * and was not reported since is gone.
 */
export const inventoryListed = z.object({
  ...report,
  /** From 1. */
  page: z.number().int().min(1).max(inboundLimits.pages),
  last: z.boolean(),
  nodes: z.array(z.object(node)).max(inboundLimits.pageItems).optional(),
  applications: z.array(z.object(application)).max(inboundLimits.pageItems).optional(),
  allocations: z.array(z.object(allocation)).max(inboundLimits.pageItems).optional(),
});

/**
 * The sender is alive and has nothing to add. `lastSequence` is the sequence of the last report that it has sent: reports that were
 * lost on the way show by it.
 */
export const inventoryConfirmed = z.object({ partition: partitionName, lastSequence: sequence.optional() });
