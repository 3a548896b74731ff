import type { QueueExplanation } from '#api-client';
import { nodeLabelsRemedy, nodeLabelsSentence, type Resources } from '#contracts';
import type { Invocation } from '../invocation/invocation.js';
import { amountsText } from '../output/amounts.js';
import { reasonLines } from '../output/element-lines.js';
import { foresightSentence } from '../output/foreseen-lines.js';
import { section, tableLines } from '../output/table.js';
import { agoText, clockText, isOrWasDue, withClockTimes, zoneLines } from '../output/time.js';
import { hanging } from '../output/width.js';
import { poolSentence } from '../resources/pools.js';
import { queues } from '../resources/queues.js';
import { resourceLines } from '../resources/resource-kind.js';

/** The state of a queue, then the events of its clock and its runs, latest first. */
export function queueLines(why: QueueExplanation, invocation: Invocation, now: number): string[] {
  const lines = stateLines(why, invocation, now);
  return [...lines, ...zoneLines(lines, invocation)];
}

function stateLines(why: QueueExplanation, invocation: Invocation, now: number): string[] {
  const { queue, timer, pool, rounds, runs, history, notices } = why;
  const wide = invocation.format === 'wide';
  const when = (at: string) => (wide ? clockText(at) : agoText(at, now));
  const clock = queue.suspended
    ? queue.stopped
      ? 'Its clock is suspended.'
      : queue.nodeLabels
        ? 'Its clock is suspended.'
        : 'Its clock is suspended: enforcement is off.'
    : timer
      ? clockSentence(timer, now)
      : queue.enforcement
        ? `Run ${queue.enforcement} is in progress.`
        : 'No clock runs.';
  return [
    ...hanging(unconfiguredSentence(why, now), invocation.width).filter((line) => line !== ''),
    ...resourceLines(queues, [queue], invocation, now),
    '',
    ...hanging(
      queue.stopped
        ? `${clock} Its evictions are stopped; ${invocation.hint('curtail get stops')} lists who stopped them and why.`
        : clock,
      invocation.width,
    ),
    ...(queue.nodeLabels
      ? hanging(
          `${nodeLabelsSentence(queue.nodeLabels)} To do: ${invocation.hint(nodeLabelsRemedy)}.`,
          invocation.width,
        )
      : []),
    ...(timer?.foresight
      ? hanging(
          `${foresightSentence(timer.foresight)} ${invocation.hint(`curtail get foreseen --queue ${queue.queue}`)} lists them.`,
          invocation.width,
        )
      : []),
    ...(pool ? hanging(poolSentence(pool, now), invocation.width) : []),
    ...rounds.flatMap((round) =>
      section(
        `ROUND ${round.round} OF ${round.policy.toUpperCase()}, ${when(round.at)}`,
        roundLines(round, queue.queue, invocation),
        invocation,
      ),
    ),
    ...section('RUNS', runLines(runs, when, invocation), invocation),
    ...section(
      'HISTORY',
      history.length === 0
        ? []
        : tableLines(
            [{ title: 'WHEN', holds: 'times' }, { title: 'EVENT' }, { title: 'WHAT', wraps: 'words' }],
            history.map(({ at, event, sentence }) => [when(at), event, withClockTimes(sentence)]),
            invocation,
          ),
      invocation,
    ),
    ...(why.archivedUntil ? [`What happened before ${when(why.archivedUntil)} is archived.`] : []),
    ...section(
      'NOTICES',
      notices.length === 0
        ? []
        : tableLines(
            [
              { title: 'WHEN', holds: 'times' },
              { title: 'CODE', holds: 'ids' },
              { title: 'MESSAGE', wraps: 'words' },
            ],
            notices.map(({ at, code, message }) => [when(at), code, withClockTimes(message)]),
            invocation,
          ),
      invocation,
    ),
  ];
}

/** When its run is due, or what else it waits for. */
function clockSentence(
  { enforcement, dueAt, waiting }: NonNullable<QueueExplanation['timer']>,
  now: number,
): string {
  if (waiting && waiting.code !== 'due') return `Its clock runs. ${withClockTimes(waiting.message)}`;
  return `Its clock runs: run ${enforcement ?? ''} ${isOrWasDue(dueAt, now)}, at ${clockText(dueAt)}.`;
}

/** Of a queue that the configuration in force does not have; empty for any other. */
function unconfiguredSentence({ queue, configured, removedAt }: QueueExplanation, now: number): string {
  if (configured !== false) return '';
  const why = removedAt
    ? `a configuration removed it ${agoText(removedAt, now)}, at ${clockText(removedAt)}`
    : 'a placement rule or a template made it, or no configuration had it yet';
  return `${queue.queue} is not in the configuration in force: ${why}.`;
}

function roundLines(
  { shares, reasons, notices }: QueueExplanation['rounds'][number],
  path: string,
  invocation: Invocation,
): string[] {
  return [
    ...shares.flatMap((share) =>
      hanging(
        share.queue === path ? shareSentence(share) : `${share.queue}: ${shareSentence(share)}`,
        invocation.width,
      ),
    ),
    ...reasonLines({ reasons }, invocation),
    ...(notices.length === 0
      ? []
      : tableLines(
          [
            { title: 'CODE', holds: 'ids' },
            { title: 'MESSAGE', wraps: 'words' },
          ],
          notices.map(({ code, message }) => [code, message]),
          invocation,
        )),
  ];
}

function runLines(
  runs: QueueExplanation['runs'],
  when: (at: string) => string,
  invocation: Invocation,
): string[] {
  if (runs.length === 0) return [];
  return tableLines(
    [
      { title: 'WHEN', holds: 'times' },
      { title: 'ENFORCEMENT', holds: 'ids' },
      { title: 'POLICY' },
      { title: 'OF', holds: 'paths' },
      { title: 'OUTCOME' },
      { title: 'VICTIMS HERE', align: 'right' },
    ],
    runs.map(({ at, enforcement, policy, queue, state, outcome, victims }) => [
      when(at),
      enforcement,
      policy,
      queue,
      outcome ?? state,
      String(victims),
    ]),
    invocation,
  );
}

/** What a round demanded of a queue, as a sentence where there are no amounts. */
function shareSentence({
  releasable,
  target,
  claimed,
}: QueueExplanation['rounds'][number]['shares'][number]): string {
  const none = (amounts: Resources) => Object.values(amounts).every((amount) => amount === 0);
  const could = none(releasable) ? 'It could give nothing' : `It could give ${amountsText(releasable)}`;
  if (none(target))
    return none(claimed)
      ? `${could}; nothing was demanded of it.`
      : `${could}; ${amountsText(claimed)} were chosen.`;
  const chosen = none(claimed) ? 'nothing' : amountsText(claimed);
  return `${could}; ${amountsText(target)} were demanded of it, and ${chosen} chosen.`;
}
