import { type Blocker, counted, type EnforcementOutcome, type Plan, type RecordedNotice } from '#contracts';
import { evictionFailed, type Tally } from './tally.js';

/* Why a run left its queue above its quota: docs/reference/policies/quota-decrease.md §3.8. */

/**
 * Notices of a plan that state what kept allocations out of it, the most specific first. All but the outcome, and what a plan has beside
 * it, are here.
 */
const keptOutOfPlan = [
  evictionFailed,
  'only-daemons',
  'all-or-nothing',
  'disruption-budget',
  'owner-budget',
  'too-young',
  'gang',
  'queue-limit',
  'protected',
  'guaranteed-floor',
  'no-candidates',
  'too-few-victims',
];

/** Outcomes of runs that fell short by themselves: no operator, stop or lost lock ended them. */
const fellShort: ReadonlySet<EnforcementOutcome> = new Set([
  'best-effort',
  'impossible',
  'failed',
  'deadline',
]);

/** No more than an event may have (`blockers` in libs/contracts). */
const mostBlockers = 20;

/** The notices that explain why a plan does not reach its target, the most specific first; none if it does. */
export function whyPlanIsShort({ outcome, notices }: Pick<Plan, 'outcome' | 'notices'>): RecordedNotice[] {
  if (outcome !== 'best-effort' && outcome !== 'impossible') return [];
  return keptOutOfPlan.flatMap((code) => notices.filter((notice) => notice.code === code));
}

/**
 * What kept a run from its target: victims that stayed, those that failed first, then what the plan could not take. Empty if the run did
 * not fall short by itself.
 */
export function blockersOf(
  outcome: EnforcementOutcome,
  plan: Pick<Plan, 'outcome' | 'notices'>,
  { stayed }: Pick<Tally, 'stayed'>,
): Blocker[] {
  if (!fellShort.has(outcome)) return [];
  const ofVictims = Object.entries(stayed)
    .sort(([a], [b]) => Number(b === evictionFailed) - Number(a === evictionFailed) || (a < b ? -1 : 1))
    .map(([code, { victims, first, why }]): Blocker => {
      const which = `${counted(victims, 'victim')} ${didWhat(code, victims)}, first ${first}: ${sentence(why.message)}`;
      return { code, message: which, ...(why.about && { about: why.about }), victims };
    });
  const ofPlan = whyPlanIsShort(plan).map(({ code, message, about }): Blocker => {
    return { code, message, ...(about && { about }) };
  });
  return [...ofVictims, ...ofPlan].slice(0, mostBlockers);
}

/** A cluster may give its reason without a full stop. */
const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

function didWhat(code: string, victims: number): string {
  const were = victims === 1 ? 'was' : 'were';
  if (code === evictionFailed) return 'could not be evicted';
  return code === 'other-incarnation' ? `${were} replaced` : `${were} spared`;
}

/**
 * Blockers after which time alone may help, as victims show that stayed although the plan had chosen them: the next run chooses
 * others, or tries them again. Those that an operator has stopped, or that the limits of a run have left, are none.
 */
export const mayPass = ({ code, victims }: Blocker): boolean =>
  code === evictionFailed || (victims !== undefined && !settled.has(code));

/** A stop has its own end. At the deadline, a run is over: only evictions that were requested in vain are requested again. */
const settled = new Set(['stopped', 'deadline', 'too-large']);
