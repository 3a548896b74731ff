import type { EnforcementExplanation, PlanCounts } from '#api-client';
import { counted, type Plan } from '#contracts';
import type { Invocation } from '../invocation/invocation.js';
import { amountsText, durationText, limitText } from '../output/amounts.js';
import { reasonLines, startLines } from '../output/element-lines.js';
import { noticeLines, shareLines, targetLines } from '../output/plan-lines.js';
import { legendLines, sparedByReason, sparedGroups } from '../output/reason.js';
import { section, tableLines } from '../output/table.js';
import {
  agoText,
  clockText,
  isMoved,
  isOrWasDue,
  startTimeOf,
  withClockTimes,
  zoneLines,
} from '../output/time.js';
import { applicationShareLines, userLines, victimLines } from '../output/victim-lines.js';
import { hanging } from '../output/width.js';
import { outcomeTone } from '../resources/enforcements.js';
import { moreLines } from '../resources/resource-kind.js';
import { printable } from '../terminal/printable.js';

/** The course of a run in sentences, then its victims and why, then the spared allocations. */
export function runLines(why: EnforcementExplanation, invocation: Invocation, now: number): string[] {
  const lines = courseLines(why, invocation, now);
  return [...lines, ...zoneLines(lines, invocation)];
}

function courseLines(why: EnforcementExplanation, invocation: Invocation, now: number): string[] {
  const { plan, victims } = why;
  const part = (title: string, lines: (plan: Plan, invocation: Invocation) => string[], list: ListOfPlan) =>
    plan ? section(title, withMore(lines(plan, invocation), why, plan, list), invocation) : [];
  return [
    ...historyLines(why, invocation, now),
    ...section('SUMMARY', summaryLines(why, invocation), invocation),
    ...(plan ? targetLines(plan, invocation) : []),
    ...part('REASONS', reasonLines, 'reasons'),
    ...part('STARTS', startLines, 'starts'),
    ...part('SHARES', shareLines, 'shares'),
    ...part('USERS', userLines, 'users'),
    ...part('APPLICATIONS', applicationShareLines, 'applications'),
    ...section('VICTIMS', victims.length > 0 ? victimLines(victims, invocation) : [], invocation),
    ...moreLines(victims.length > 0 ? why.enforcement.victims : 0, victims.length),
    ...(isWhole(why) ? legendLines(why.victims, invocation) : []),
    ...section('SPARED', sparedLines(why, invocation), invocation),
    ...part('NOTICES', noticeLines, 'notices'),
    ...sourceLines(why, invocation),
  ];
}

type ListOfPlan = Exclude<keyof PlanCounts, 'victims' | 'statuses'>;

/** The lines of a list of a plan; below them how many more there are, where the answer has only the first. */
function withMore(
  lines: string[],
  { counts }: EnforcementExplanation,
  plan: Plan,
  list: ListOfPlan,
): string[] {
  if (counts === undefined || lines.length === 0) return lines;
  const shown =
    list === 'users' || list === 'applications'
      ? plan.shares.reduce((sum, share) => sum + (share[list]?.length ?? 0), 0)
      : (plan[list]?.length ?? 0);
  return [...lines, ...moreLines(counts[list], shown)];
}

/** The answer has all victims. */
const isWhole = ({ victims, enforcement }: EnforcementExplanation) => victims.length >= enforcement.victims;

/** With fewer victims a summary would only repeat their table. */
const fewestSummarized = 3;
/** Groups of each kind beside a table of all victims. */
const groupsBesideAll = 3;

/** All victims in groups: by rule and owner; by more where the answer has only the first of them. */
function summaryLines(why: EnforcementExplanation, invocation: Invocation): string[] {
  const { summary, victims, enforcement: run } = why;
  const { enforcement, victims: all } = run;
  if (summary === undefined || all < fewestSummarized) return [];
  const whole = isWhole(why);
  const kinds = [
    { what: 'rule', groups: summary.rules, beside: true },
    { what: 'state', groups: summary.states, beside: false },
    { what: 'queue', groups: summary.queues, beside: false },
    { what: 'owner', groups: summary.owners, beside: true },
    { what: 'application', groups: summary.applications, beside: false },
  ].filter(({ beside }) => beside || !whole);
  const list = whole ? '' : `: curtail get enforcements ${enforcement} --all`;
  const rows = kinds.flatMap(({ what, groups: { count, first } }) => {
    const shown = whole ? first.slice(0, groupsBesideAll) : first;
    const more = count - shown.length;
    return [
      ...shown.map(({ name, victims }, index) => [
        index === 0 ? what.toUpperCase() : '',
        String(victims),
        name,
      ]),
      ...(more > 0 ? [['', '', `and ${counted(more, `more ${what}`)}${list}`]] : []),
    ];
  });
  if (rows.length === 0) return [];
  const table = tableLines(
    [{ title: 'BY' }, { title: 'VICTIMS', align: 'right' }, { title: 'WHICH', wraps: 'words' }],
    rows,
    invocation,
  );
  if (whole) return table;
  return [
    ...table,
    ...legendLines(victims, invocation),
    ...hanging(
      `All ${all.toLocaleString('en')} victims: curtail explain enforcement ${enforcement} --all.`,
      invocation.width,
    ),
  ].map((line) => invocation.hint(line));
}

function sparedLines(
  { sparedBy, plan, replayable }: EnforcementExplanation,
  invocation: Invocation,
): string[] {
  if (sparedBy === undefined) return sparedByReason(plan?.spared ?? [], invocation);
  if (sparedBy === null) {
    return plan && replayable ? ['Its input is very large: --all lists the spared allocations.'] : [];
  }
  return sparedGroups(sparedBy, invocation);
}

function historyLines(
  { enforcement: run, plan, limit, archived }: EnforcementExplanation,
  { style, width }: Invocation,
  now: number,
): string[] {
  // The outcome of a cancelled clock only names who did it: `operator`.
  const state = run.state === 'cancelled' ? run.state : (run.outcome ?? run.state);
  const name =
    run.round === null
      ? `enforcement ${run.enforcement} of ${run.queue}`
      : `round ${run.round} of ${run.policy} (${run.enforcement})`;
  const [last = '', ...before] = hanging(`${name}, partition ${run.partition}: ${state}`, width).reverse();
  const head = [
    ...before.reverse(),
    last.slice(0, -state.length) + style(outcomeTone(run.outcome), last.slice(-state.length)),
  ];
  const lines: string[] = [];
  if (run.startedAt === null) {
    if (run.outcome !== null) lines.push(`It was due ${clockText(run.dueAt)}, and did not start.`);
    else if (run.state === 'suspended')
      lines.push(withClockTimes(run.waiting?.message ?? 'Its clock is suspended.'));
    else if (run.waiting && isMoved(run)) lines.push(withClockTimes(run.waiting.message));
    else lines.push(`It ${isOrWasDue(startTimeOf(run), now)}.`);
  } else {
    const late =
      (run.lateMs ?? 0) < 1000 ? 'on time' : `${durationText(Math.round((run.lateMs ?? 0) / 1000))} late`;
    const ended = run.endedAt ? `, ended ${clockText(run.endedAt)}` : '';
    lines.push(`It started ${clockText(run.startedAt)} (${agoText(run.startedAt, now)}), ${late}${ended}.`);
  }
  if (limit) lines.push(`Its quota was ${limitText(limit)} when it was planned.`);
  if (run.mode === 'observe') lines.push(...observedSentences(plan, run.victims));
  else if (plan) lines.push(planSentence(plan, run.victims));
  if (archived) lines.push(`${archived[0]?.toUpperCase()}${archived.slice(1)}.`);
  // For an observed run, the lines above cover it.
  if (run.message && run.outcome !== 'observed') lines.push(withClockTimes(run.message));
  return [...head, ...lines.flatMap((line) => hanging(printable(line), width))];
}

/** The target of the plan, and its result. */
function planSentence({ target, claimed, reasons = [], outcome }: Plan, victims: number): string {
  const held =
    victims > 0
      ? `; ${counted(victims, 'victim')} ${victims === 1 ? 'holds' : 'hold'} ${amountsText(claimed)}`
      : '';
  if (reasons.length > 0) {
    const answered = reasons.filter((reason) => reason.answered).length;
    const are = answered === 1 ? 'is' : 'are';
    return `${answered} of ${counted(reasons.length, 'reason')} to act ${are} answered${held}: ${outcome}.`;
  }
  if (Object.keys(target).length === 0) return 'Nothing had to be freed.';
  return `${amountsText(target)} had to be freed${held}: ${outcome}.`;
}

/** Same for an observed run, in the conditional. Its plan may be satisfied although the run has freed nothing. */
function observedSentences(plan: Plan | null, victims: number): string[] {
  const who = plan?.observeOnly
    ? 'The policy only observes (observeOnly)'
    : 'The partition was only observed';
  const noneEvicted = `${who}: nothing was evicted.`;
  if (!plan) return [noneEvicted];
  const { target, reasons = [] } = plan;
  if (reasons.length === 0 && Object.keys(target).length === 0)
    return ['Nothing had to be freed.', noneEvicted];
  const were = counted(reasons.length, 'reason to act was', 'reasons to act were');
  const answered = reasons.filter((reason) => reason.answered).length;
  return [
    reasons.length > 0
      ? `${were} found, and ${answered} would have been answered.`
      : `${amountsText(target)} had to be freed.`,
    `${noneEvicted} ${wouldHaveGone(plan, victims)}.`,
  ];
}

function wouldHaveGone({ claimed, collateral, shortfall }: Plan, victims: number): string {
  const freed = amountsText({ ...claimed, ...collateral });
  const gone =
    victims === 0
      ? 'There would have been no victim'
      : `${counted(victims, 'victim')} would have been evicted, which would have freed ${freed}`;
  return Object.keys(shortfall).length === 0
    ? gone
    : `${gone}; ${amountsText(shortfall)} would have been missing`;
}

/** The input of the plan, needed to recompute it. */
function sourceLines(
  { snapshotDigest, replayable, plan }: EnforcementExplanation,
  invocation: Invocation,
): string[] {
  if (!plan || snapshotDigest === null) return [];
  const kept = replayable
    ? invocation.hint('its input is kept: curtail replay recomputes the plan')
    : 'its input is no longer kept, so the spared allocations are no longer known';
  const lines = hanging(`snapshot ${snapshotDigest.slice(0, 12)}; ${kept}`, invocation.width);
  return ['', ...lines.map((line) => invocation.style('faint', line))];
}
