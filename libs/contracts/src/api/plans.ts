import { z } from 'zod';
import type {
  FairShareReason,
  FairShareStatus,
  ShownElement,
  VictimCause,
} from '../planning/fair-share-plan.js';
import type { Plan, SparedReason } from '../planning/plan.js';
import { amounts, count, facts, oneOf, outcome, pageOf, planNotice, time } from './shapes.js';

/*
 * Plans on the wire. Their types are those of libs/contracts/src/planning, which load no library; the schemas describe
 * the same shapes. Policies add fields of their own, so a plan is open.
 */

const ratio = z.union([z.number(), z.literal('infinite')]);
const starvationState = z.enum(['non_starving', 'starving', 'aggressively_starving']);

export const sparedReason = oneOf<SparedReason>({
  'aggressive-not-allowed': true,
  'aggressive-only': true,
  'below-threshold': true,
  'conservative-drf': true,
  cooling: true,
  daemon: true,
  'disruption-budget': true,
  enforcing: true,
  'eviction-failed': true,
  'enforcement-running': true,
  gang: true,
  'given-back': true,
  'graceful-operation': true,
  'guaranteed-floor': true,
  'no-give': true,
  'non-preemptible': true,
  'normal-not-allowed': true,
  'not-needed': true,
  'not-running': true,
  'nothing-pending': true,
  'one-application': true,
  originator: true,
  'other-types': true,
  'own-operation': true,
  'owner-budget': true,
  'past-target': true,
  protected: true,
  'queue-disabled': true,
  'queue-limit': true,
  'round-ceiling': true,
  'starving-operation': true,
  'too-young': true,
  unfit: true,
  'user-limit': true,
}).meta({ id: 'SparedReason' });

const victimCause = oneOf<VictimCause>({
  starvation: true,
  'aggressive-starvation': true,
  'resource-limits': true,
  overcommit: true,
}).meta({ id: 'VictimCause' });

const share = z
  .looseObject({ queue: z.string(), releasable: amounts, target: amounts, claimed: amounts })
  .meta({ id: 'PlanShare' });

export const plan = z
  .looseObject({
    apiVersion: z.literal('curtail/v1'),
    kind: z.literal('Plan'),
    policy: z.string(),
    queue: z.string().optional().describe('Absent: the plan is for all queues.'),
    observeOnly: z.literal(true).optional(),
    outcome,
    target: amounts,
    inFlight: amounts,
    claimed: amounts,
    shortfall: amounts,
    overshoot: amounts,
    collateral: amounts,
    shares: z.array(share),
    victims: z.array(
      z
        .looseObject({
          allocation: z.string(),
          uid: z.string().optional(),
          application: z.string(),
          queue: z.string(),
          node: z.string().optional(),
          resources: amounts,
          rank: z.number().int().min(1).describe('The order of eviction.'),
          reason: z.string().describe('One sentence.'),
          rule: z.string().optional().describe('Code of the rule that decided; only in a preview.'),
          facts: facts.optional().describe('Facts of the rule that decided; only in a preview.'),
        })
        .meta({ id: 'PlannedVictim' }),
    ),
    spared: z
      .array(
        z.object({
          allocation: z.string(),
          reason: sparedReason,
          message: z.string().optional().describe('One sentence with the numbers.'),
        }),
      )
      .optional()
      .describe('Present only with the setting `explain`.'),
    notices: z.array(planNotice),
  })
  .meta({
    id: 'Plan',
    description: 'docs/reference/snapshot.md, "Plan".',
  }) as unknown as z.ZodType<Plan>;

/** A recorded plan in a list. */
export const planView = z
  .object({
    enforcement: z.string(),
    partition: z.string(),
    queue: z.string(),
    computedAt: time,
    outcome: z.string(),
    target: amounts,
    victims: count,
    snapshotDigest: z.string(),
    planDigest: z.string(),
  })
  .meta({ id: 'PlanSummary' });
export type PlanView = z.infer<typeof planView>;
export const planPage = pageOf(planView, 'PlanSummaryPage');

export const limitView = z
  .object({
    max: amounts.nullable().describe('null: no limit'),
    maxShare: z
      .string()
      .optional()
      .describe('A fraction of the cluster, such as `1/4`; `max` is its amount in the snapshot.'),
  })
  .meta({ id: 'Limit' });

export const recordedPlan = z
  .object({
    enforcement: z.string(),
    computedAt: time,
    snapshotDigest: z.string(),
    planDigest: z.string(),
    trigger: z.record(z.string(), z.unknown()),
    settings: z.record(z.string(), z.unknown()),
    limit: limitView.describe('The limit that the run was planned with.'),
    plan,
  })
  .meta({ id: 'RecordedPlan' });
export type RecordedPlan = z.infer<typeof recordedPlan>;

const reasonToAct = z.looseObject({
  cause: victimCause,
  kind: z.enum(['node', 'operation', 'pool']),
  name: z.string(),
  answered: z.boolean(),
  missing: amounts,
  queue: z.string().optional().describe('The pool, or that of the operation.'),
});

/** A round in sums, with the part of each queue. */
export const roundPlanView = z
  .object({
    outcome,
    observeOnly: z.literal(true).optional(),
    target: amounts,
    claimed: amounts,
    shortfall: amounts,
    victims: count,
    shares: z.array(z.object({ queue: z.string(), releasable: amounts, target: amounts, claimed: amounts })),
    starts: count
      .optional()
      .describe('Number of pending requests that fair-share lets start; absent for other policies.'),
    reasons: z
      .array(reasonToAct as unknown as z.ZodType<FairShareReason & { queue?: string }>)
      .optional()
      .describe('Why fair-share acts, at most a thousand reasons; absent for other policies.'),
    notices: z.array(planNotice),
  })
  .meta({ id: 'RoundPlan' });
export type RoundPlanView = z.infer<typeof roundPlanView>;

/** The rounds of a policy in a partition: its last one. */
export const roundsView = z
  .object({
    partition: z.string(),
    policy: z.string(),
    round: count.describe('Number of the last round that began.'),
    enforcement: z.string(),
    state: z.string().describe('`wanted`, `planning`, `executing`, or `over`.'),
    startedAt: time,
    nextDueAt: time.nullable().describe('null when the configuration requests no further rounds.'),
    skipped: count.describe('Rounds that were skipped because another one was in progress.'),
    plannedRound: count
      .nullable()
      .describe('The last one that could be planned, whether it is in the log or not.'),
    plannedAt: time.nullable(),
    seconds: z.number().nullable(),
    plan: roundPlanView.nullable(),
    failure: planNotice.nullable().describe('Why the last one could not be planned.'),
    notified: count.describe('Allocations whose owners were notified, and which a later round may evict.'),
    exempt: z
      .array(z.object({ kind: z.enum(['application', 'allocation']), name: z.string(), until: time }))
      .describe(
        'Work that fair-share does not choose for a while after a refusal by an operator or the cluster; a hundred at most.',
      ),
  })
  .meta({ id: 'Rounds' });
export type RoundsView = z.infer<typeof roundsView>;
export const roundsPage = pageOf(roundsView, 'RoundsPage');

const shownElement = {
  kind: z.enum(['pool', 'operation']) as z.ZodType<FairShareStatus['kind']>,
  name: z.string().describe('The path of the pool, or the id of the operation.'),
  queue: z.string().describe('The pool itself, or that of the operation.'),
  fairShare: z.number().describe('The dominant share of the cluster: 1 is all of it.'),
  usageShare: z.number(),
  demandShare: z.number(),
  satisfaction: ratio.describe('Usage by fair share: below 1 it has less.'),
  status: z.enum(['normal', 'below_fair_share']).meta({ id: 'ElementStatus' }),
  starvation: starvationState,
  belowFairShareSince: time.nullable(),
  starvingSince: time.nullable(),
  effective: z.record(z.string(), z.unknown()).describe('The settings in force for it.'),
} satisfies Record<keyof ShownElement, z.ZodType>;

/** A pool or an operation as of the last round of fair-share (docs/reference/policies/fair-share.md §7, §8). */
export const elementView = z
  .object({ ...shownElement, takenAt: time.describe('The time of the snapshot.') })
  .meta({ id: 'Element' });
export type ElementView = z.infer<typeof elementView>;
export const elementPage = pageOf(elementView, 'ElementPage');
