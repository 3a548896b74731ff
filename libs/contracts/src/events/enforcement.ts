import { z } from 'zod';
import { instant, notice, quotaValues, reason, resources } from './shapes.js';

const schedule = {
  partition: z.string(),
  queue: z.string(),
  /** The id of the run that is planned; it stays the same until that run ended or was called off. */
  enforcement: z.string(),
};

/** Counts the times a clock was set; a wake-up for an older one is ignored. */
const generation = z.number().int().min(1);

export const enforcementOutcome = z.enum([
  'satisfied',
  'best-effort',
  'impossible',
  'not-needed',
  'skipped',
  'observed',
  'rejected',
  'cancelled',
  'stopped',
  'fenced',
  'deadline',
  'failed',
  'notified',
]);
export type EnforcementOutcome = z.infer<typeof enforcementOutcome>;

/** Runs of a queue in a row that came to nothing for a reason that may pass, and since when. */
const runFailures = z.object({ count: z.number().int().min(1), since: instant });
export type RunFailures = z.infer<typeof runFailures>;

export const enforcementScheduled = z.object({
  ...schedule,
  generation,
  dueAt: instant,
  /** The values the queue had before the change that started the clock, and has now. */
  previous: quotaValues,
  current: quotaValues,
  cause: z.enum([
    'quota-lowered',
    'delay-changed',
    'after-run',
    'lease-ended',
    'stopped',
    'retry',
    'reconciled',
    'allocation-forced',
    'allocation-resized',
  ]),
  /** Of `retry`: the runs before it that came to nothing. */
  failures: runFailures.optional(),
  notices: z.array(notice),
});

export const enforcementRescheduled = z.object({
  ...schedule,
  generation,
  dueAt: instant,
  previousDueAt: instant,
  current: quotaValues,
  cause: z.enum(['quota-lowered', 'delay-changed', 'switched-on', 'resumed', 'restarted']),
  notices: z.array(notice),
});

export const enforcementCancelled = z.object({
  ...schedule,
  generation,
  dueAt: instant,
  current: quotaValues.optional(),
  cause: z.enum([
    'quota-raised',
    'max-removed',
    'delay-zero',
    'queue-removed',
    'dynamic',
    'within-quota',
    'not-needed',
    'operator',
  ]),
  by: z.string().optional(),
  notices: z.array(notice),
});

/** Nothing follows from something that happened, and why. */
export const enforcementSkipped = z.object({
  partition: z.string(),
  queue: z.string(),
  cause: z.enum(['running', 'suspended', 'dynamic']),
  enforcement: z.string().optional(),
  current: quotaValues.optional(),
  notices: z.array(notice),
});

/** The lock of the queue is taken: one run, named by its id, fenced by its token. */
export const enforcementStarted = z.object({
  ...schedule,
  generation,
  /** Grows with every start in the whole system; who holds a smaller one than the queue's may do nothing. */
  fencingToken: z.number().int().min(1),
  dueAt: instant,
  startedAt: instant,
  /** Never negative: a run never starts early. */
  lateMs: z.number().min(0),
  values: quotaValues,
  /** The runs before it that came to nothing; absent: there were none. */
  failures: runFailures.optional(),
  notices: z.array(notice),
});

/** The lock of the queue is given back. */
export const enforcementReleased = z.object({
  ...schedule,
  cause: z.enum(['ended', 'lease-ended']),
  /** How the run ended; absent: its lease ended, or an older version wrote this. */
  outcome: enforcementOutcome.optional(),
  /** What the run left above the quota, without what another run may free. */
  shortfall: resources.optional(),
  notices: z.array(notice),
});

/**
 * The reconciler found a queue above its quota with no clock, no run, and no reason that still holds
 * (docs/reference/policies/quota-decrease.md §3.8). Appended once; `QuotaMet` ends it.
 */
export const quotaNotMet = z.object({
  partition: z.string(),
  queue: z.string(),
  current: quotaValues,
  /** Used without what is leaving. */
  used: resources,
  above: resources,
  /** How the last run of the queue ended; absent: it has had none since its quota changed. */
  lastOutcome: enforcementOutcome.optional(),
  lastEnforcement: z.string().optional(),
  notices: z.array(notice),
});

/** A queue that `QuotaNotMet` named is within its quota again. */
export const quotaMet = z.object({ partition: z.string(), queue: z.string() });

/** The values of a queue changed without an effect on its clock; the stream keeps them for the next judgement. */
export const quotaNoted = z.object({ partition: z.string(), queue: z.string(), current: quotaValues });

/**
 * A round of a policy that looks at a partition again and again. Only a round that comes to something is in the log, together
 * with its plan; of all others the last one is kept (docs/how-to/in-queue-rounds.md).
 */
export const roundStarted = z.object({
  ...schedule,
  policy: z.string(),
  /** Counts the rounds of the policy in the partition. */
  round: z.number().int().min(1),
  fencingToken: z.number().int().min(1),
  dueAt: instant,
  startedAt: instant,
  lateMs: z.number().min(0),
  /** Rounds since the last one in the log that were left out, because another one was under way. */
  skipped: z.number().int().min(0),
});

/** Rounds of a partition cannot be planned, from this one on; said once until there is another reason, or none. */
export const roundFailed = z.object({
  partition: z.string(),
  queue: z.string(),
  policy: z.string(),
  round: z.number().int().min(1),
  ...reason,
  notices: z.array(notice),
});
