import { z } from 'zod';
import type { Plan } from '../planning/plan.js';
import { clusterFraction, instant, notice, reason, resources } from './shapes.js';

const run = {
  partition: z.string(),
  queue: z.string(),
  enforcement: z.string(),
  fencingToken: z.number().int().min(1),
};

/** The parts that others build on are checked; the rest of a plan is its policy's own. */
const plan: z.ZodType<Plan> = z.looseObject({
  apiVersion: z.literal('curtail/v1'),
  kind: z.literal('Plan'),
  policy: z.string(),
  queue: z.string().optional(),
  outcome: z.enum(['not-needed', 'satisfied', 'best-effort', 'impossible', 'skipped']),
  target: resources,
  claimed: resources,
  shortfall: resources,
  victims: z.array(
    z.looseObject({
      allocation: z.string(),
      uid: z.string().optional(),
      application: z.string(),
      queue: z.string(),
      node: z.string().optional(),
      resources,
      rank: z.number().int().min(1),
      reason: z.string(),
    }),
  ),
  notices: z.array(notice),
}) as unknown as z.ZodType<Plan>;

export const planComputed = z.object({
  ...run,
  /** The three inputs, so that the plan can be made again: the snapshot by its digest, the others whole. */
  snapshotDigest: z.string(),
  trigger: z.looseObject({ policy: z.string(), queue: z.string().optional() }),
  settings: z.record(z.string(), z.unknown()),
  /** sha256 of the plan's JSON, hex. */
  planDigest: z.string(),
  plan,
  takenAt: instant,
  /** Of the partition when the plan was made: under `observe` its victims do not count as leaving, so it evicts nobody. */
  mode: z.enum(['observe', 'enforce']).optional(),
  /** The max that the run fired with; of a share, what it came to in the snapshot. */
  max: resources.nullable(),
  /** The share of the cluster that it is; absent: amounts. */
  maxShare: clusterFraction.optional(),
  /** Allocations of the queue and of all below it in the snapshot, and what they use. */
  queueAllocations: z.number().int().min(0),
  queueUsage: resources,
  /** Time spent in reading the snapshot and planning, seconds. */
  planSeconds: z.number().min(0),
});

export const planFailed = z.object({
  ...run,
  ...reason,
  /** Runs of the queue in a row for which no plan could be made, this one included. */
  attempt: z.number().int().min(1),
});

export const planApproved = z.object({
  partition: z.string(),
  queue: z.string(),
  enforcement: z.string(),
  by: z.string(),
});
export const planRejected = z.object({
  partition: z.string(),
  queue: z.string(),
  enforcement: z.string(),
  by: z.string(),
  reason: z.string().optional(),
});
