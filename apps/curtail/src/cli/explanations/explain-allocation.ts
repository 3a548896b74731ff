import type { AllocationExplanation } from '#api-client';
import { sparedSentence } from '#planning/words';
import type { Invocation } from '../invocation/invocation.js';
import { legendLines } from '../output/reason.js';
import { tableLines } from '../output/table.js';
import { clockText, dueText, startTimeOf, withClockTimes, zoneLines } from '../output/time.js';
import { hanging } from '../output/width.js';

/** The runs that are to start, those that chose an allocation, and those that spared it. */
export function allocationLines(why: AllocationExplanation, invocation: Invocation, now: number): string[] {
  const { allocation, partition, chosen, foreseen = [], spared, tooLarge = [] } = why;
  const head = `allocation ${allocation}, partition ${partition}:`;
  const untried =
    tooLarge.length === 0
      ? []
      : [`too large to be recomputed for this: ${tooLarge.join(', ')}; see curtail explain enforcement NAME`];
  const ahead = foreseenRunLines(foreseen, invocation, now);
  if (chosen.length + spared.length + tooLarge.length === 0) {
    if (ahead.length > 0) return [head, ...ahead, ...zoneLines(ahead, invocation)];
    return [
      why.queue === null
        ? `${head} it is not in the cluster, and none of the partition's latest runs spared it`
        : `${head} no run of ${why.queue} or above has planned it yet, or its plans are no longer kept`,
    ];
  }
  const columns = [
    { title: 'ENFORCEMENT', holds: 'ids' as const },
    { title: 'QUEUE', holds: 'paths' as const },
    { title: 'WHAT' },
    { title: 'WHY', wraps: 'words' as const, under: true },
  ];
  const rows = [
    ...chosen.map(({ enforcement, queue, state, rank, reason, message }) => [
      enforcement,
      queue,
      { text: `victim ${rank}, ${state}`, tone: 'doubtful' as const },
      withClockTimes(message && state !== 'evicted' ? `${reason} ${message}` : reason),
    ]),
    ...spared.map(({ enforcement, queue, at, reason, message }) => [
      enforcement,
      queue,
      `spared ${clockText(at)}`,
      message ? `${sparedSentence(reason)}. ${withClockTimes(message)}` : sparedSentence(reason),
    ]),
  ];
  const table = rows.length > 0 ? tableLines(columns, rows, invocation) : [];
  const times = [...ahead, ...table];
  return [head, ...times, ...legendLines(chosen, invocation), ...zoneLines(times, invocation), ...untried];
}

type ForeseenRun = NonNullable<AllocationExplanation['foreseen']>[number];

/** What runs that have not begun would do to an allocation, a sentence or more each. */
function foreseenRunLines(runs: readonly ForeseenRun[], { width }: Invocation, now: number): string[] {
  return runs.flatMap((run) => hanging(sentencesOf(run, now).join(' '), width));
}

function sentencesOf(run: ForeseenRun, now: number): string[] {
  const { enforcement, queue, waiting, verdict, reason, needsApproval, fault } = run;
  const at = startTimeOf(run);
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
