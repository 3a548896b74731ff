import type { PlanSummary, RecordedPlan } from '#api-client';
import { amountsText } from '../output/amounts.js';
import { planLines } from '../output/plan-lines.js';
import { agoText, clockText } from '../output/time.js';
import { outcomeTone } from './enforcements.js';
import { listedAt } from './listed.js';
import type { ResourceKind } from './resource-kind.js';

/** Lists show a summary; a single plan is complete. */
type Plan = PlanSummary | RecordedPlan;

export const plans: ResourceKind<Plan> = {
  kind: 'plan',
  plural: 'plans',
  list: listedAt('/v1/plans', 'partition', 'queue', 'policy', 'since', 'limit', 'after'),
  shortens: 'enforcement',
  dated: true,
  nameOf: ({ enforcement }) => enforcement,
  columns: [
    { title: 'ENFORCEMENT', holds: 'ids', cell: ({ enforcement }) => enforcement },
    { title: 'QUEUE', holds: 'paths', cell: (plan) => summaryOf(plan).queue },
    {
      title: 'OUTCOME',
      cell: (plan) => ({ text: summaryOf(plan).outcome, tone: outcomeTone(summaryOf(plan).outcome) }),
    },
    { title: 'VICTIMS', align: 'right', cell: (plan) => String(summaryOf(plan).victims) },
    { title: 'TARGET', wraps: 'items', cell: (plan) => amountsText(summaryOf(plan).target) },
    { title: 'MADE', holds: 'times', cell: ({ computedAt }, now) => agoText(computedAt, now) },
    { title: 'AT', wide: true, cell: ({ computedAt }) => clockText(computedAt) },
    { title: 'DIGEST', wide: true, cell: ({ planDigest }) => planDigest.slice(0, 12) },
    { title: 'SNAPSHOT', wide: true, cell: ({ snapshotDigest }) => snapshotDigest.slice(0, 12) },
  ],
  empty: 'no plans were made yet',
  one: (client, name, _, signal) =>
    client.get('/v1/plans/{enforcement}', { params: { path: { enforcement: name } }, signal }),
  below: (plan, invocation) => ('plan' in plan ? ['', ...planLines(plan.plan, invocation)] : []),
};

function summaryOf(plan: Plan): Pick<PlanSummary, 'queue' | 'outcome' | 'victims' | 'target'> {
  if (!('plan' in plan)) return plan;
  const { queue = 'all', outcome, victims, target } = plan.plan;
  return { queue, outcome, victims: victims.length, target };
}

/** How the command line shows a policy, where it differs from others. */
interface ShownPolicy {
  /** The kinds of `curtail get` that show findings of its rounds, besides its enforcements. */
  kinds: string[];
  /** Its timers begin rounds; otherwise they start runs of queues. */
  plansInRounds: boolean;
  /** A scenario continues until a round finds no reason to act, not just no victim. */
  endsWhenNotNeeded: boolean;
  /** The sentence for a round without victims, about owners notified before. */
  noVictims?: string;
}

const shown: ReadonlyMap<string | undefined, ShownPolicy> = new Map([
  ['quota-decrease', { kinds: [], plansInRounds: false, endsWhenNotNeeded: false }],
  [
    'intra-queue',
    {
      kinds: ['rounds'],
      plansInRounds: true,
      endsWhenNotNeeded: false,
      noVictims: 'No victims are selected; owners notified too long ago have to be notified again.',
    },
  ],
  ['fair-share', { kinds: ['pools', 'operations'], plansInRounds: true, endsWhenNotNeeded: true }],
]);

/** For a policy that this command line does not know: defaults of all policies. */
export function shownPolicy(name: string | undefined): ShownPolicy {
  return shown.get(name) ?? { kinds: ['rounds'], plansInRounds: true, endsWhenNotNeeded: false };
}
