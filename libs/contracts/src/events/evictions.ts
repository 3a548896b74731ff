import { z } from 'zod';
import { enforcementOutcome } from './enforcement.js';
import { blockers, clusterFraction, instant, notice, reason, resources } from './shapes.js';

const run = {
  partition: z.string(),
  queue: z.string(),
  enforcement: z.string(),
};

/** An executor took over the plan, with these limits. */
export const enforcementOpened = z.object({
  ...run,
  fencingToken: z.number().int().min(1),
  openedAt: instant,
  mode: z.enum(['observe', 'enforce']),
  /** The max that the run was planned with. `EnforcementRejudged` replaces it. */
  max: resources.nullable(),
  /** The share of the cluster that it is; absent: amounts. */
  maxShare: clusterFraction.optional(),
  victims: z.number().int().min(0),
  /** For a round: ranks of victims whose owners are notified now, and of those notified earlier that still wait. */
  notify: z.array(z.number().int().min(1)).optional(),
  wait: z.array(z.number().int().min(1)).optional(),
  needsApproval: z.boolean(),
  approvalReason: z.string().optional(),
  /** It needs the approval because it would exceed this ceiling of the partition, by its code. */
  ceiling: z.string().optional(),
  /** When the run gives up on the remaining victims. */
  deadlineAt: instant,
  notices: z.array(notice),
});

/**
 * From here on the run is judged by another max: the quota changed before its first eviction, or its share of the cluster resolves to
 * other amounts because nodes were added or removed. If it is judged by amounts alone, a run that has ordered an eviction is not judged
 * again.
 */
export const enforcementRejudged = z.object({
  ...run,
  previous: resources.nullable(),
  max: resources.nullable(),
  /** The quota in force then, if one of the two is a share of the cluster: the run keeps to it from its first order on. */
  inForce: z.object({ max: resources.nullable(), maxShare: clusterFraction.optional() }).optional(),
  notices: z.array(notice),
});

/**
 * The next evictions would exceed a ceiling of the partition, which other runs have reached meanwhile or an operator has lowered. The run
 * waits for an approval that lifts the ceilings.
 */
export const enforcementHeld = z.object({
  ...run,
  ...reason,
  /** Of its victims, those without an outcome. */
  remaining: z.number().int().min(1),
});

const victim = {
  ...run,
  allocation: z.string(),
  uid: z.string().optional(),
  application: z.string(),
  /** The queue of the victim; `queue` is the enforced one. */
  victimQueue: z.string(),
  rank: z.number().int().min(1),
};

/** Whole seconds of work that the eviction ends: since the start or the last checkpoint. */
const secondsLost = z.number().int().min(0).optional();

/** Recorded before the eviction is sent: after a crash it shows that a kill may have been sent. */
export const victimOrdered = z.object({
  ...victim,
  attempt: z.number().int().min(1),
  evictionId: z.string(),
  orderedAt: instant,
  /** Resources of the allocation at the last check. */
  resources,
  secondsLost,
});
/** The owner was notified. Without `interrupts` a round that still chooses it at `killAt` or later kills it, or none does. */
export const victimNotified = z.object({
  ...victim,
  notifiedAt: instant,
  killAt: instant,
  reason: z.string(),
  /** It is asked to finish, and this run kills it at `killAt` if it has not. */
  interrupts: z.literal(true).optional(),
});
/** Its owner was notified, and rounds have not chosen it since: the owner is notified again when it is chosen again. */
export const victimForgotten = z.object({
  ...run,
  allocation: z.string(),
  uid: z.string().optional(),
  application: z.string(),
  victimQueue: z.string(),
  notifiedAt: instant,
  /** The round that notified. */
  notifiedBy: z.string(),
});
export const victimEvicted = z.object({
  ...victim,
  evictionId: z.string(),
  resources,
  secondsLost,
  reason: z.string(),
  /** For fair-share: its reason. */
  cause: z.enum(['starvation', 'aggressive-starvation', 'resource-limits', 'overcommit']).optional(),
  /** The kill was found carried out after a crash or a lost answer. */
  recovered: z.boolean(),
});
/** The cluster, or a rule of the run, refused. `retryAt` is present if it is retried. */
export const victimRefused = z.object({
  ...victim,
  ...reason,
  retryAt: instant.optional(),
});
/**
 * It ended by itself, is already leaving, or its id belongs to another incarnation. `gone-after-request`: Curtail had requested its
 * eviction without an answer, and it is unknown which of the two ended it.
 */
export const victimGone = z.object({
  ...victim,
  ...reason,
  code: z.enum(['gone', 'leaving', 'other-incarnation', 'gone-after-request']),
});
/** Spared although planned: no longer needed, floor, kill switch, fenced, cancelled … */
export const victimSpared = z.object({ ...victim, ...reason });
export const victimFailed = z.object({ ...victim, ...reason });

export const enforcementEnded = z.object({
  ...run,
  fencingToken: z.number().int().min(1),
  outcome: enforcementOutcome,
  /** For rounds; absent: quota-decrease. */
  policy: z.string().optional(),
  /** These add up to the victims of the plan. */
  evicted: z.number().int().min(0),
  gone: z.number().int().min(0),
  spared: z.number().int().min(0),
  failed: z.number().int().min(0),
  /** For rounds: owners notified, and owners notified earlier that still wait. */
  notified: z.number().int().min(0).optional(),
  waiting: z.number().int().min(0).optional(),
  /** Resources of the victims that are gone or leaving, in every type; without those whose id belongs to another incarnation. */
  freed: resources,
  /** The part of the target still missing, and allocations above the quota that the plan had counted as leaving. */
  shortfall: resources,
  message: z.string(),
  /**
   * The part of the shortfall that another run may free: allocations that the plan had counted as leaving through others but that
   * stayed, and allocations kept by a kill switch.
   */
  open: resources.optional(),
  /**
   * The work lost with the evicted victims, by owner: `hours` are amounts in base units times the hours since the start or the last
   * checkpoint. `owner` is empty where an application has no user. Absent: none.
   */
  lost: z
    .array(
      z.object({
        owner: z.string(),
        victims: z.number().int().min(1),
        hours: z.record(z.string(), z.number().min(0)),
      }),
    )
    .optional(),
  /** Why it fell short of its target, the most specific first. Absent: it did not. */
  blocked: blockers,
  /** The run had no effect for a temporary reason; the timer schedules another one (docs/reference/policies/quota-decrease.md §3.4). */
  retry: z.literal(true).optional(),
  notices: z.array(notice),
});
