import { z } from 'zod';
import { enforcementOutcome } from './enforcement.js';
import { clusterFraction, instant, notice, reason, resources } from './shapes.js';

const run = {
  partition: z.string(),
  queue: z.string(),
  enforcement: z.string(),
};

/** An executor took the plan over and says how it will carry it out. */
export const executionOpened = z.object({
  ...run,
  fencingToken: z.number().int().min(1),
  openedAt: instant,
  mode: z.enum(['observe', 'enforce']),
  /** The max that the run was planned with. `ExecutionRejudged` replaces it. */
  max: resources.nullable(),
  /** The share of the cluster that it is; absent: amounts. */
  maxShare: clusterFraction.optional(),
  victims: z.number().int().min(0),
  /** Of a round: the ranks of the victims whose owners are told now, and of those that were told and still wait. */
  notify: z.array(z.number().int().min(1)).optional(),
  wait: z.array(z.number().int().min(1)).optional(),
  needsApproval: z.boolean(),
  approvalReason: z.string().optional(),
  /** When the run gives up on what is left. */
  deadlineAt: instant,
  notices: z.array(notice),
});

/**
 * From here on the run is judged by another max: the quota changed before its first eviction, or the share of the cluster by which
 * it is judged comes to other amounts, since nodes came or went. Where it is judged by amounts alone, a run that has ordered an
 * eviction is not judged again.
 */
export const executionRejudged = z.object({
  ...run,
  previous: resources.nullable(),
  max: resources.nullable(),
  /** What was in force then, where one of the two is a share of the cluster: from its first order on the run keeps to it. */
  inForce: z.object({ max: resources.nullable(), maxShare: clusterFraction.optional() }).optional(),
  notices: z.array(notice),
});

const victim = {
  ...run,
  allocation: z.string(),
  uid: z.string().optional(),
  application: z.string(),
  /** The queue that the victim stands in; `queue` is the one that is enforced. */
  victimQueue: z.string(),
  rank: z.number().int().min(1),
};

/** Recorded before the kill is sent: after a crash it tells that one may be on its way. */
export const victimOrdered = z.object({
  ...victim,
  attempt: z.number().int().min(1),
  evictionId: z.string(),
  orderedAt: instant,
  /** What the allocation held when it was looked at for the last time. */
  resources,
});
/** The owner was told. Without `interrupts` it is killed by a round that still chooses it at `killAt` or later, or not at all. */
export const victimNotified = z.object({
  ...victim,
  notifiedAt: instant,
  killAt: instant,
  reason: z.string(),
  /** It is asked to finish, and killed by this run at `killAt` if it has not. */
  interrupts: z.literal(true).optional(),
});
/** Its owner was told, and rounds have not chosen it since: when it is chosen again the owner is told anew. */
export const victimForgotten = z.object({
  ...run,
  allocation: z.string(),
  uid: z.string().optional(),
  application: z.string(),
  victimQueue: z.string(),
  notifiedAt: instant,
  /** The round that told. */
  notifiedBy: z.string(),
});
export const victimEvicted = z.object({
  ...victim,
  evictionId: z.string(),
  resources,
  reason: z.string(),
  /** Of fair-share: what led to it. */
  cause: z.enum(['starvation', 'aggressive-starvation', 'resource-limits', 'overcommit']).optional(),
  /** The kill was found carried out after a crash or a lost answer. */
  recovered: z.boolean(),
});
/** The cluster, or a rule of the run, said no. `retryAt` is there if it is tried again. */
export const victimRefused = z.object({
  ...victim,
  ...reason,
  retryAt: instant.optional(),
});
/**
 * It had gone by itself, is leaving already, or another incarnation stands under its id. `gone-after-request`: Curtail had
 * asked for its eviction without an answer, and it is not known which of the two ended it.
 */
export const victimGone = z.object({
  ...victim,
  ...reason,
  code: z.enum(['gone', 'leaving', 'other-incarnation', 'gone-after-request']),
});
/** Left alone although planned: no longer needed, floor, kill switch, fenced, cancelled … */
export const victimSpared = z.object({ ...victim, ...reason });
export const victimFailed = z.object({ ...victim, ...reason });

export const enforcementEnded = z.object({
  ...run,
  fencingToken: z.number().int().min(1),
  outcome: enforcementOutcome,
  /** Of rounds; absent: quota-decrease. */
  policy: z.string().optional(),
  /** These add up to the victims of the plan. */
  evicted: z.number().int().min(0),
  gone: z.number().int().min(0),
  spared: z.number().int().min(0),
  failed: z.number().int().min(0),
  /** Of rounds: whose owners were told, and who were told before and wait. */
  notified: z.number().int().min(0).optional(),
  waiting: z.number().int().min(0).optional(),
  /** What those victims held that are gone or on their way out, in every type. */
  freed: resources,
  /** What is still missing of the target, and what stayed above the quota of that which the plan had counted as leaving. */
  shortfall: resources,
  message: z.string(),
  /**
   * Part of the shortfall that another run may free: what the plan had counted as leaving through others and stayed, and what a
   * kill switch kept.
   */
  open: resources.optional(),
  /** The run came to nothing for a reason that may pass; the timer schedules another one (docs/reference/policies/quota-decrease.md §3.4). */
  retry: z.literal(true).optional(),
  notices: z.array(notice),
});
