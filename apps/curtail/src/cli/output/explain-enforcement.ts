import type { Invocation } from '../invocation.js';
import type { EnforcementExplanation } from '../server/answers.js';
import { outcomeTone } from '../things/enforcements.js';
import { amountsText, durationText } from './amounts.js';
import { counted } from './counted.js';
import { applicationLines, userLines } from './in-queue-lines.js';
import { noticeLines, section, shareLines, targetLines } from './plan-lines.js';
import { sparedByReason } from './spared-reasons.js';
import { agoText, clockText, dueText } from './time.js';
import { victimLines } from './victim-lines.js';

/** A run as it went: in sentences what happened, then who had to go and why, and who did not. */
export function enforcementLines(why: EnforcementExplanation, invocation: Invocation, now: number): string[] {
  const { plan, victims } = why;
  return [
    ...storyLines(why, invocation, now),
    ...(plan ? targetLines(plan, invocation) : []),
    ...section('SHARES', plan ? shareLines(plan, invocation) : [], invocation),
    ...section('USERS', plan ? userLines(plan, invocation) : [], invocation),
    ...section('APPLICATIONS', plan ? applicationLines(plan, invocation) : [], invocation),
    ...section('VICTIMS', victims.length > 0 ? victimLines(victims, invocation) : [], invocation),
    ...section('SPARED', sparedByReason(plan?.spared ?? [], invocation), invocation),
    ...section('NOTICES', plan ? noticeLines(plan, invocation) : [], invocation),
    ...sourceLines(why, invocation),
  ];
}

function storyLines(
  { enforcement: run, plan }: EnforcementExplanation,
  { style }: Invocation,
  now: number,
): string[] {
  const state = run.outcome ?? run.state;
  const lines = [
    `${run.round === null ? `enforcement ${run.enforcement} of ${run.queue}` : `round ${run.round} of ${run.policy} (${run.enforcement})`}, partition ${run.partition}: ${style(outcomeTone(run.outcome), state)}`,
  ];
  if (run.startedAt === null) {
    const due = run.dueAt !== null && run.outcome === null ? dueText(run.dueAt, now) : clockText(run.dueAt);
    lines.push(run.outcome === null ? `It is due ${due}.` : `It was due ${due}, and did not start.`);
  } else {
    const late =
      (run.lateMs ?? 0) < 1000 ? 'on time' : `${durationText(Math.round((run.lateMs ?? 0) / 1000))} late`;
    const ended = run.endedAt ? `, ended ${clockText(run.endedAt)}` : '';
    lines.push(`It started ${clockText(run.startedAt)} (${agoText(run.startedAt, now)}), ${late}${ended}.`);
  }
  if (plan) {
    const held =
      plan.victims.length > 0
        ? `, and ${counted(plan.victims.length, 'victim')} ${plan.victims.length === 1 ? 'holds' : 'hold'} ${amountsText(plan.claimed)} of it`
        : '';
    lines.push(
      Object.keys(plan.target).length === 0
        ? 'Nothing had to be freed.'
        : `${amountsText(plan.target)} had to be freed${held}: ${plan.outcome}.`,
    );
  }
  if (run.mode === 'observe') lines.push('The partition was only observed: nobody was evicted.');
  if (run.message) lines.push(run.message);
  return lines;
}

/** What the plan was made from, for whoever wants to make it again. */
function sourceLines(
  { snapshotDigest, replayable, plan }: EnforcementExplanation,
  { style }: Invocation,
): string[] {
  if (!plan || snapshotDigest === null) return [];
  const kept = replayable
    ? 'its input is kept: curtail replay makes the plan again'
    : 'its input is no longer kept, so who was spared is not known any more';
  return ['', style('faint', `snapshot ${snapshotDigest.slice(0, 12)}; ${kept}`)];
}
