import type { Resources } from '@curtail/contracts';
import type { Invocation } from '../invocation.js';
import type { QueueExplanation } from '../server/answers.js';
import { queues } from '../things/queues.js';
import { thingLines } from '../things/thing.js';
import { amountsText } from './amounts.js';
import { section } from './plan-lines.js';
import { tableLines } from './table.js';
import { agoText, clockText, dueText, withClockTimes } from './time.js';
import { hanging } from './wrapped.js';

/** A queue as it stands, and what happened to its clock and its runs, the latest first. */
export function queueLines(why: QueueExplanation, invocation: Invocation, now: number): string[] {
  const { queue, timer, rounds, history, notices } = why;
  const wide = invocation.format === 'wide';
  const when = (at: string) => (wide ? clockText(at) : agoText(at, now));
  const clock = timer
    ? `Its clock runs: run ${timer.enforcement ?? ''} is due ${dueText(timer.dueAt, now)}, at ${clockText(timer.dueAt)}.`
    : queue.enforcement
      ? `Run ${queue.enforcement} is in progress.`
      : 'No clock runs.';
  return [
    ...thingLines(queues, [queue], invocation, now),
    '',
    ...hanging(
      queue.stopped
        ? `${clock} Its evictions are stopped; ${invocation.hint('curtail resume')} lets them go on.`
        : clock,
      invocation.width,
    ),
    ...rounds.flatMap(({ policy, round, at, share, notices: told }) =>
      section(
        `ROUND ${round} OF ${policy.toUpperCase()}, ${when(at)}`,
        [
          ...(share ? hanging(shareSentence(share), invocation.width) : []),
          ...tableLines(
            [{ title: 'CODE' }, { title: 'MESSAGE', wraps: 'words' }],
            told.map(({ code, message }) => [code, message]),
            invocation,
          ).slice(told.length === 0 ? 1 : 0),
        ],
        invocation,
      ),
    ),
    ...section(
      'HISTORY',
      history.length === 0
        ? []
        : tableLines(
            [{ title: 'WHEN' }, { title: 'EVENT' }, { title: 'WHAT', wraps: 'words' }],
            history.map(({ at, event, sentence }) => [when(at), event, withClockTimes(sentence)]),
            invocation,
          ),
      invocation,
    ),
    ...section(
      'NOTICES',
      notices.length === 0
        ? []
        : tableLines(
            [{ title: 'WHEN' }, { title: 'CODE' }, { title: 'MESSAGE', wraps: 'words' }],
            notices.map(({ at, code, message }) => [when(at), code, withClockTimes(message)]),
            invocation,
          ),
      invocation,
    ),
  ];
}

/** What a round wanted of a queue, in words where there is nothing to count. */
function shareSentence({
  releasable,
  target,
  claimed,
}: NonNullable<QueueExplanation['rounds'][number]['share']>): string {
  const none = (amounts: Resources) => Object.values(amounts).every((amount) => amount === 0);
  const could = none(releasable) ? 'It could give nothing' : `It could give ${amountsText(releasable)}`;
  if (none(target))
    return none(claimed)
      ? `${could}; nothing was wanted of it.`
      : `${could}; ${amountsText(claimed)} were chosen.`;
  const chosen = none(claimed) ? 'nothing' : amountsText(claimed);
  return `${could}; ${amountsText(target)} were wanted of it, and ${chosen} chosen.`;
}
