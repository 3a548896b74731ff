import { z } from 'zod';
import { mostTurns } from '../planning/queue-settings.js';

/** Shapes shared by several events. Amounts are in base units (docs/reference/snapshot.md). */
export const resources = z.record(z.string(), z.number().int().min(0).max(Number.MAX_SAFE_INTEGER));
export const instant = z.iso.datetime({ precision: 3 });

/** A share of the cluster: a fraction of the total capacity of all its nodes, such as `1/4`. */
export const clusterFraction = z.string().regex(/^\d+(\/[1-9]\d*)?$/);

/** The values that a clock depends on. `max: null` = no limit; `delayMs` is the effective delay, 0 = off. */
export const quotaValues = z.object({
  max: resources.nullable(),
  delayMs: z.number().int().min(0),
  /**
   * The share of the cluster that is the limit, in place of amounts: it resolves to amounts whenever it is used. `max` has its amounts
   * when this was written, null while no nodes were known. Absent: `max` is the limit.
   */
  maxShare: clusterFraction.optional(),
});
export type QuotaValues = z.infer<typeof quotaValues>;

/**
 * How the max of a queue has gone up and down, while its setting `flapping` counts that. A turn is a change in a direction other than that of
 * the last change of some type. docs/reference/policies/quota-decrease.md §3.11
 */
export const quotaTurns = z.object({
  /** The turns of the window, oldest first: at most one more than the setting allows. */
  at: z.array(instant).max(mostTurns + 1),
  /** Of each type, the direction of its last change. */
  directions: z.record(z.string(), z.enum(['up', 'down'])),
  /** The last change of max, a turn or not. */
  changedAt: instant,
  /** How long max has to stay the same, if that is longer than the delay. */
  stableMs: z.number().int().min(0),
  /** There are more turns than the setting allows, from this one on. */
  flappingSince: instant.optional(),
  /** A notice has reported it. */
  reported: z.literal(true).optional(),
});
export type QuotaTurns = z.infer<typeof quotaTurns>;

/** The subject of a notice or a reason. */
export const subject = z.object({
  /** `partition`, `queue`, `pool`, `operation`, `application`, `allocation`, `node` or `enforcement`; there may be more later. */
  kind: z.string(),
  /** The path of a queue or pool, the id of anything else. */
  name: z.string(),
  /** Of an operation, application or allocation: its queue or pool, where that is known. */
  queue: z.string().optional(),
});

/** Why something was done or not done: `message` is a sentence for people, `code` and `about` are for programs. */
export const reason = { code: z.string(), message: z.string(), about: subject.optional() };

export const notice = z.object(reason);
export type RecordedNotice = z.infer<typeof notice>;

/**
 * What kept a run from bringing its queue down to its quota. The code is that of the notice of the plan, or of the victims that stayed;
 * `message` is about the first of them.
 */
export const blocker = z.object({
  ...reason,
  /** Victims of the plan that stayed after all. Absent: it kept allocations out of the plan. */
  victims: z.number().int().min(1).optional(),
});
export type Blocker = z.infer<typeof blocker>;

/** Of a run that left its queue above its quota: the most specific first, at most this many. */
export const mostBlockers = 20;
export const blockers = z.array(blocker).min(1).max(mostBlockers).optional();

/** One value that a deciding rule depends on. */
export const fact = z.union([z.string(), z.number(), z.boolean()]);

/** Who sent a command or a configuration, as the credential of the request says; absent: none was needed, or Curtail itself did it. */
export const actor = z.object({
  /** The address of an OIDC issuer, else `curtail` (CURTAIL_TOKEN), `local`, `tokens`, `teams` or `mtls`. */
  issuer: z.string(),
  subject: z.string(),
  groups: z.array(z.string()).optional(),
  /** Of the client. */
  address: z.string().optional(),
  /** What a request with a shared token calls its sender; unchecked. */
  claimed: z.string().optional(),
});

/** Who sent a command or an answer: the name that was given, and the credential. */
export const sent = { by: z.string(), actor: actor.optional() };
/** The same for a command that takes a reason. */
export const commanded = { ...sent, reason: z.string().optional() };
