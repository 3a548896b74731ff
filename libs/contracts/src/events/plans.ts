import { z } from 'zod';
import type { Plan } from '../planning/plan.js';
import { clusterFraction, commanded, fact, instant, notice, reason, resources, sent } from './shapes.js';

const run = {
  partition: z.string(),
  queue: z.string(),
  enforcement: z.string(),
  fencingToken: z.number().int().min(1),
};

/** Checks the parts that others use; the rest of a plan belongs to its policy. */
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
  /** The version of the configuration that causes the run. Absent: not known, or a round. */
  configuration: z.number().int().min(1).optional(),
  /** The three inputs, so that the plan can be recomputed: the snapshot by its digest, the others complete. */
  snapshotDigest: z.string(),
  trigger: z.looseObject({ policy: z.string(), queue: z.string().optional() }),
  settings: z.record(z.string(), z.unknown()),
  /** sha256 of the plan's JSON, hex. */
  planDigest: z.string(),
  plan,
  /**
   * The rules that decided for the victims, by rank: a rule, how many victims have it one after the other, and by name its facts: one
   * value where they share it, else one for each. Absent: a policy without such rules, or written before they were recorded.
   */
  rules: z
    .array(
      z.object({
        rule: z.string(),
        count: z.number().int().min(1),
        facts: z.record(z.string(), z.union([fact, z.array(fact)])).optional(),
      }),
    )
    .optional(),
  /** The users of the victims' applications, as far as they are known. Absent: none is, or written before they were recorded. */
  owners: z.array(z.object({ user: z.string(), applications: z.array(z.string()) })).optional(),
  takenAt: instant,
  /** Mode of the partition when the plan was made: under `observe` its victims do not count as leaving, since it evicts nothing. */
  mode: z.enum(['observe', 'enforce']).optional(),
  /** The max that the run started with; of a share, its amounts in the snapshot. */
  max: resources.nullable(),
  /** The share of the cluster; absent: amounts. */
  maxShare: clusterFraction.optional(),
  /** Number and usage of the allocations of the queue and all below it in the snapshot. */
  queueAllocations: z.number().int().min(0),
  queueUsage: resources,
  /** Seconds spent on reading the snapshot and planning. */
  planSeconds: z.number().min(0),
});

export const planFailed = z.object({
  ...run,
  ...reason,
  /** Consecutive runs of the queue without a plan, including this one. */
  attempt: z.number().int().min(1),
});

export const planApproved = z.object({
  partition: z.string(),
  queue: z.string(),
  enforcement: z.string(),
  ...sent,
  /** The ceilings of the partition are lifted for this run, which waited because of one. */
  ceilings: z.literal(true).optional(),
  /** The run is one of those that this version of the configuration causes, all of which are approved together. */
  configuration: z.number().int().min(1).optional(),
});
export const planRejected = z.object({
  partition: z.string(),
  queue: z.string(),
  enforcement: z.string(),
  ...commanded,
});
