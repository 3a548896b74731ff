import type { AllocationExplanation } from '#api-client';
import type { Invocation } from '../invocation/invocation.js';
import { startOf } from '../output/start.js';
import { clockText, dueText, withClockTimes } from '../output/time.js';
import { hanging } from '../output/wrapped.js';

type ForeseenRun = NonNullable<AllocationExplanation['foreseen']>[number];

/** What runs that have not begun would do to an allocation, a sentence or more each. */
export function foreseenRunLines(runs: readonly ForeseenRun[], { width }: Invocation, now: number): string[] {
  return runs.flatMap((run) => hanging(sentencesOf(run, now).join(' '), width));
}

function sentencesOf(run: ForeseenRun, now: number): string[] {
  const { enforcement, queue, waiting, verdict, reason, needsApproval, fault } = run;
  const at = startOf(run);
  const starts =
    at === null ? 'starts once nothing holds it any more' : `starts ${dueText(at, now)}, at ${clockText(at)}`;
  const what = {
    evicted: 'It will be evicted then, unless the work or the quotas change before.',
    stays: 'As things are, it spares this allocation.',
    unknown: 'It is not known whether it evicts this allocation.',
  }[verdict];
  return [
    `Run ${enforcement} of ${queue} ${starts}. ${what}`,
    ...(verdict === 'evicted' && reason !== null
      ? [`Why work of its application: ${withClockTimes(reason)}`]
      : []),
    ...(waiting.code === 'due' ? [] : [withClockTimes(waiting.message)]),
    ...(needsApproval ? ['An operator has to approve the run before it evicts.'] : []),
    ...(fault === null ? [] : [`No newer plan could be made: ${withClockTimes(fault)}`]),
  ];
}
