import { z } from 'zod';
import { blockers, instant, notice, quotaTurns, quotaValues, reason, resources } from './shapes.js';

const schedule = {
  partition: z.string(),
  queue: z.string(),
  /** The id of the planned run; it stays the same until that run has ended or is cancelled. */
  enforcement: z.string(),
};

/** Counts how often a clock was set; a wake-up for an older setting is ignored. */
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

/** Consecutive runs of a queue without effect for a temporary reason, and since when. */
const runFailures = z.object({ count: z.number().int().min(1), since: instant });
export type RunFailures = z.infer<typeof runFailures>;

/** A run that follows one that fell short, since what blocked that one has changed. docs/reference/policies/quota-decrease.md §3.12 */
const afterBlocked = {
  /** The run that fell short. */
  after: z.string(),
  /** How many such runs, this one included, have followed one another without an end to what blocks them. */
  attempt: z.number().int().min(1),
};
const unblocked = z.object({
  ...afterBlocked,
  /** What has changed, or what is tried again. */
  ...reason,
});
export type Unblocked = z.infer<typeof unblocked>;

/** Of the max of the queue after the event; absent: as before, or, if the event has another max, not counted. */
const turns = quotaTurns.optional();

/** Of a clock that is set. */
const putOff = {
  /** When it would be due if its max were not flapping; absent: at `dueAt`. */
  ownDueAt: instant.optional(),
  turns,
};

export const enforcementScheduled = z.object({
  ...schedule,
  generation,
  dueAt: instant,
  /** The values of the queue before the change that started the clock, and now. */
  previous: quotaValues,
  current: quotaValues,
  cause: z.enum([
    'quota-lowered',
    'delay-changed',
    'after-run',
    'lease-ended',
    'stopped',
    'retry',
    'unblocked',
    'reconciled',
    'requested',
    'allocation-forced',
    'allocation-resized',
  ]),
  /** For `retry`: the preceding runs without effect. */
  failures: runFailures.optional(),
  /** For `unblocked`. */
  unblocked: unblocked.optional(),
  ...putOff,
  notices: z.array(notice),
});

export const enforcementRescheduled = z.object({
  ...schedule,
  generation,
  dueAt: instant,
  previousDueAt: instant,
  current: quotaValues,
  cause: z.enum([
    'quota-lowered',
    'delay-changed',
    'switched-on',
    'resumed',
    'restarted',
    'requested',
    'frozen',
    'unfrozen',
  ]),
  ...putOff,
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
  turns,
  notices: z.array(notice),
});

/** An occurrence without effect, and why. */
export const enforcementSkipped = z.object({
  partition: z.string(),
  queue: z.string(),
  cause: z.enum(['running', 'suspended', 'dynamic']),
  enforcement: z.string().optional(),
  current: quotaValues.optional(),
  turns,
  notices: z.array(notice),
});

/** The lock of the queue is taken: one run, named by its id, fenced by its token. */
export const enforcementStarted = z.object({
  ...schedule,
  generation,
  /** Grows with every start in the whole system; a holder of a smaller token than the queue's may do nothing. */
  fencingToken: z.number().int().min(1),
  dueAt: instant,
  startedAt: instant,
  /** Never negative: a run never starts early. */
  lateMs: z.number().min(0),
  values: quotaValues,
  /** The version of the configuration that last changed the quota of the queue: it causes the run. Absent: not known. */
  configuration: z.number().int().min(1).optional(),
  /** The preceding runs without effect; absent: none. */
  failures: runFailures.optional(),
  /** Of a clock with the cause `unblocked`. */
  unblocked: z.object(afterBlocked).optional(),
  notices: z.array(notice),
});

/** The lock of the queue is released. */
export const enforcementReleased = z.object({
  ...schedule,
  cause: z.enum(['ended', 'lease-ended']),
  /** How the run ended; absent: its lease ended. */
  outcome: enforcementOutcome.optional(),
  /** Remaining usage above the quota, without what another run may free. */
  shortfall: resources.optional(),
  /** Why the run fell short. Absent: it did not. */
  blocked: blockers,
  notices: z.array(notice),
});

/**
 * The reconciler found a queue above its quota with no clock and no run, and neither the end of the last run nor an operator has settled
 * that it stays there (docs/reference/policies/quota-decrease.md §3.8). Appended once; `QuotaMet` ends it.
 */
export const quotaNotMet = z.object({
  partition: z.string(),
  queue: z.string(),
  current: quotaValues,
  /** Usage without allocations that are leaving. */
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
export const quotaNoted = z.object({
  partition: z.string(),
  queue: z.string(),
  current: quotaValues,
  turns,
});

/**
 * A round of a policy. Only a round with a result is in the log, together with its plan; of all others the last one is kept
 * (docs/how-to/in-queue-rounds.md).
 */
export const roundStarted = z.object({
  ...schedule,
  policy: z.string(),
  /** The number of the round of the policy in the partition. */
  round: z.number().int().min(1),
  fencingToken: z.number().int().min(1),
  dueAt: instant,
  startedAt: instant,
  lateMs: z.number().min(0),
  /** Rounds left out since the last one in the log, because another was in progress. */
  skipped: z.number().int().min(0),
});

/** Rounds of a partition cannot be planned, from this one on; recorded once until the reason changes or ends. */
export const roundFailed = z.object({
  partition: z.string(),
  queue: z.string(),
  policy: z.string(),
  round: z.number().int().min(1),
  ...reason,
  notices: z.array(notice),
});
