import { z } from 'zod';
import type { FairShareReason } from '../planning/fair-share-plan.js';
import { enforcementView, victimView } from './enforcements.js';
import { elementView, limitView, plan, roundPlanView, sparedReason } from './plans.js';
import { queueView, timerView } from './queues.js';
import { amounts, count, noticeShape, startsAt, time, waitingView } from './shapes.js';

/** Allocations that were spared for one reason. */
export const sparedGroup = z
  .object({
    reason: sparedReason,
    count,
    first: z.array(z.string()).describe('The first of them.'),
  })
  .meta({ id: 'SparedGroup' });
export type SparedGroup = z.infer<typeof sparedGroup>;

/** The part of the last round of a policy that concerns a queue and those below it. */
export const queueRound = z
  .object({
    policy: z.string(),
    round: count,
    at: time,
    shares: roundPlanView.shape.shares.describe(
      'Shares of the queue itself and of the planned queues below it.',
    ),
    reasons: roundPlanView.shape.reasons
      .unwrap()
      .describe('Why fair-share acts there; empty for other policies.') as unknown as z.ZodType<
      (FairShareReason & { queue?: string })[]
    >,
    notices: z.array(noticeShape),
  })
  .meta({ id: 'QueueRound' });
export type QueueRound = z.infer<typeof queueRound>;

/** A recorded run that concerns a queue: of its quota, of the quota of a queue above, or a round that took victims in it. */
export const queueRun = z
  .object({
    enforcement: z.string(),
    policy: z.string(),
    round: count.nullable(),
    queue: z.string().describe('The queue whose quota it enforces; `root` for rounds.'),
    at: time,
    state: z.string(),
    outcome: z.string().nullable(),
    planOutcome: z.string().nullable(),
    victims: count.describe('Its victims in the queue and below it.'),
    evicted: count.describe('The victims that were evicted.'),
  })
  .meta({ id: 'QueueRun' });
export type QueueRun = z.infer<typeof queueRun>;

/** What the run of a pending clock would do to an allocation. */
export const foreseenRun = z
  .object({
    enforcement: z.string(),
    queue: z.string().describe('The queue of the clock: that of the allocation, or one above.'),
    dueAt: time.describe('When the delay is over.'),
    startsAt,
    waiting: waitingView,
    verdict: z
      .enum(['evicted', 'stays', 'unknown'])
      .describe(
        'What a plan that was made at `checkedAt` does to it. `unknown`: nothing was planned, or its application has victims that are not named.',
      ),
    victims: count.describe('The victims of its application.'),
    reason: z.string().nullable().describe('Why the first victim of its application was chosen.'),
    needsApproval: z.boolean().describe('The run would wait for an approval first.'),
    checkedAt: time.nullable(),
    fault: z.string().nullable().describe('Why the last check made no plan: the verdict is older.'),
  })
  .meta({ id: 'ForeseenRun' });
export type ForeseenRun = z.infer<typeof foreseenRun>;

export const allocationExplanation = z
  .object({
    allocation: z.string(),
    partition: z.string(),
    queue: z
      .string()
      .nullable()
      .describe(
        'Its queue, now or when a run chose it; null if neither is known: then the latest runs of the partition were tried.',
      ),
    chosen: z
      .array(
        victimView.extend({
          enforcement: z.string(),
          run: enforcementView
            .pick({ queue: true, policy: true, startedAt: true, target: true, victims: true, evicted: true })
            .describe('The run, in numbers.'),
          quota: amounts
            .nullable()
            .describe('The quota that the run enforces; null: none, or its plan is no longer in the log.'),
        }),
      )
      .describe('Runs that chose the allocation.'),
    foreseen: z
      .array(foreseenRun)
      .optional()
      .describe(
        'Runs that are to start in its queue or above it, the first to start before the others, and what they would do to it now.',
      ),
    spared: z
      .array(
        z.object({
          enforcement: z.string(),
          queue: z.string(),
          at: time,
          reason: z.string(),
          message: z.string().optional().describe('One sentence with the numbers.'),
        }),
      )
      .describe(
        'The latest runs that spared it, and why: of its queue or one above, and rounds that took victims in its queue.',
      ),
    tooLarge: z
      .array(z.string())
      .optional()
      .describe('Runs whose plans are too large to be computed again for this. Absent: none.'),
  })
  .meta({ id: 'AllocationExplanation' });
export type AllocationExplanation = z.infer<typeof allocationExplanation>;

/** A link for the owner of an allocation. */
export const explanationLink = z
  .object({
    path: z.string().describe('The address of the page. The part behind `#` is the secret of the owner.'),
    expiresAt: time
      .nullable()
      .describe(
        'null: CURTAIL_TOKEN is not set, so this is the plain address of the page, for callers with the right to read.',
      ),
  })
  .meta({ id: 'ExplanationLink' });

export const linksRevoked = z
  .object({
    partition: z.string(),
    allocation: z.string(),
    revokedAt: time.describe('Links that were made before no longer work.'),
  })
  .meta({ id: 'LinksRevoked' });

export const linkedExplanation = allocationExplanation
  .extend({ expiresAt: time.describe('When the link expires.') })
  .meta({ id: 'LinkedExplanation' });

/** A victim that owners look for. */
export const foundVictim = victimView
  .pick({ allocation: true, application: true, queue: true, owner: true, state: true, reason: true })
  .extend({ enforcement: z.string(), at: time.describe('When its state last changed.') })
  .meta({ id: 'FoundVictim' });
export type FoundVictim = z.infer<typeof foundVictim>;
export const foundVictims = z.object({ items: z.array(foundVictim) }).meta({ id: 'FoundVictims' });

/** The length of each list of a plan; of `users` and `applications` over all its shares. */
export const planCounts = z
  .object({
    victims: count,
    shares: count,
    users: count,
    applications: count,
    starts: count,
    reasons: count,
    statuses: count,
    notices: count,
  })
  .meta({ id: 'PlanCounts' });
export type PlanCounts = z.infer<typeof planCounts>;

const largestGroups = z.object({
  count: count.describe('The number of groups.'),
  first: z
    .array(
      z.object({
        name: z.string(),
        code: z.string().optional().describe('Of a rule: its code, by which its victims can be listed.'),
        victims: count,
        resources: amounts.optional().describe('What these victims hold.'),
      }),
    )
    .describe('Those with the most victims, the largest first: ten, or as many as `groups` asks for.'),
});

export const victimSummary = z
  .object({
    rules: largestGroups.describe(
      'By the rule that decided, in words; victims without a recorded rule are in none.',
    ),
    states: largestGroups.describe('By the state of a victim.'),
    queues: largestGroups.describe('By queue.'),
    owners: largestGroups.describe(
      'By the user of the application; victims without a known one are in none.',
    ),
    applications: largestGroups.describe('By application.'),
  })
  .meta({ id: 'VictimSummary' });
export type VictimSummary = z.infer<typeof victimSummary>;

export const enforcementExplanation = z
  .object({
    enforcement: enforcementView,
    victims: z.array(victimView),
    summary: victimSummary.optional().describe('All victims, grouped. Absent: the run has none.'),
    plan: plan
      .nullable()
      .describe(
        'The recorded plan; with `spared`, computed again from the recorded input while that is kept.',
      ),
    sparedBy: z
      .array(sparedGroup)
      .nullable()
      .optional()
      .describe(
        'Replaces `spared` of the plan in an explanation with a limit; null if the plan was not computed again.',
      ),
    counts: planCounts
      .optional()
      .describe(
        'Full length of each list of the plan, of which an explanation with a limit has only the first entries.',
      ),
    settings: z.record(z.string(), z.unknown()).nullable(),
    limit: limitView
      .optional()
      .describe(
        'The share of the cluster that is the quota, and its amount in the plan. Absent for a quota in amounts.',
      ),
    snapshotDigest: z.string().nullable(),
    replayable: z.boolean().describe('The input is kept: the plan can be computed again.'),
    archived: z
      .string()
      .nullable()
      .describe('A sentence on where its events are, once they are no longer in the database.'),
  })
  .meta({ id: 'EnforcementExplanation' });
export type EnforcementExplanation = z.infer<typeof enforcementExplanation>;

export const queueExplanation = z
  .object({
    queue: queueView,
    configured: z.boolean().describe('The configuration in force has the queue.'),
    removedAt: time.nullable().describe('When a configuration removed it; null: none did, or it came back.'),
    timer: timerView.nullable(),
    pool: elementView
      .nullable()
      .describe('The state after the last round of fair-share; null where that policy does not run.'),
    rounds: z.array(queueRound).describe('The last round of each policy, where it concerns the queue.'),
    runs: z
      .array(queueRun)
      .describe(
        'Recorded runs that concern it, the latest first: of its quota, of a queue above, and rounds that took victims in it.',
      ),
    history: z
      .array(z.object({ at: time, event: z.string(), sentence: z.string() }))
      .describe('Events of its clock and its runs, the latest first.'),
    archivedUntil: time.nullable().describe('Earlier events are archived; null: none are.'),
    notices: z.array(noticeShape.extend({ at: time })),
  })
  .meta({ id: 'QueueExplanation' });
export type QueueExplanation = z.infer<typeof queueExplanation>;
