import type { Invocation } from '../invocation.js';
import type { QueueExplanation } from '../server/answers.js';
import { queues } from '../things/queues.js';
import { thingLines } from '../things/thing.js';
import { amountsText } from './amounts.js';
import { section } from './plan-lines.js';
import { tableLines } from './table.js';
import { agoText, clockText, dueText, withClockTimes } from './time.js';

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
    queue.stopped ? `${clock} Its evictions are stopped; curtail resume lets them go on.` : clock,
    ...rounds.flatMap(({ policy, round, at, share, notices: told }) =>
      section(
        `ROUND ${round} OF ${policy.toUpperCase()}, ${when(at)}`,
        [
          ...(share
            ? [
                `It could give ${amountsText(share.releasable)}; wanted were ${amountsText(share.target)}, chosen ${amountsText(share.claimed)}.`,
              ]
            : []),
          ...tableLines(
            [{ title: 'CODE' }, { title: 'MESSAGE', wraps: true }],
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
            [{ title: 'WHEN' }, { title: 'EVENT' }, { title: 'WHAT', wraps: true }],
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
            [{ title: 'WHEN' }, { title: 'CODE' }, { title: 'MESSAGE', wraps: true }],
            notices.map(({ at, code, message }) => [when(at), code, withClockTimes(message)]),
            invocation,
          ),
      invocation,
    ),
  ];
}
