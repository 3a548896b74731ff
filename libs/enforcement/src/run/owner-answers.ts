import type { EventData } from '#contracts';
import { addMs, toMs } from '../instants.js';
import type { PlannedRun, RunState, VictimAnswers } from './run-state.js';

/*
 * Answers of owners to a run (docs/how-to/checkpoint-handshake.md). The console grants them within the limit of the queue, and records
 * them before the eviction is requested; here they only hold a victim back, or no longer.
 */

/** A run keeps this time after the last extension, for the evictions that were put off. */
const keptBeforeDeadlineMs = 60_000;

/** An extension ends at this moment at the latest: the deadline of the run wins. */
export function latestExtension(deadlineAt: string): string {
  return addMs(deadlineAt, -keptBeforeDeadlineMs);
}

/** The end of an extension that was granted before the run was open. */
export function fromOpening(
  { openedAt, deadlineAt }: Pick<EventData<'EnforcementOpened'>, 'openedAt' | 'deadlineAt'>,
  seconds: number,
): string {
  const [end, latest] = [addMs(openedAt, seconds * 1000), latestExtension(deadlineAt)];
  return toMs(end) < toMs(latest) ? end : latest;
}

/** The eviction of this victim is not requested before; undefined: its time is not extended. */
export function extendedUntil(
  { answers, opened }: Pick<RunState, 'answers' | 'opened'>,
  rank: number,
): string | undefined {
  const given = answers.get(rank);
  if (!given || given.isReady) return undefined;
  const { secondsFromOpening, until } = given;
  if (secondsFromOpening === 0 || !opened) return until;
  const first = fromOpening(opened, secondsFromOpening);
  return until !== undefined && toMs(until) > toMs(first) ? until : first;
}

/** Its owner is ready to lose it now. */
export function isReady({ answers }: Pick<RunState, 'answers'>, rank: number): boolean {
  return answers.get(rank)?.isReady ?? false;
}

/** The state with one answer more, and the rank of its victim; undefined if it is about no incarnation of the plan. */
export function withAnswer(
  state: RunState,
  { allocation, uid, answer, seconds = 0, until }: EventData<'OwnerAnswered'>,
): { state: RunState; rank: number } | undefined {
  const { planned } = state;
  const rank = planned && ranksOf(planned).get(allocation);
  if (rank === undefined || answer === 'checkpointed') return undefined;
  const plannedUid = planned?.plan.victims[rank - 1]?.uid;
  if (plannedUid !== undefined && uid !== undefined && plannedUid !== uid) return undefined;
  const before = state.answers.get(rank) ?? { isReady: false, secondsFromOpening: 0 };
  const { secondsFromOpening } = before;
  const after: VictimAnswers =
    answer === 'ready'
      ? { ...before, isReady: true }
      : until === undefined
        ? { ...before, secondsFromOpening: secondsFromOpening + seconds }
        : { ...before, until };
  return { state: { ...state, answers: state.answers.with(rank, after) }, rank };
}

/** Kept, since it is asked for each answer. */
const ranks = new WeakMap<PlannedRun, ReadonlyMap<string, number>>();

function ranksOf(planned: PlannedRun): ReadonlyMap<string, number> {
  const known =
    ranks.get(planned) ?? new Map(planned.plan.victims.map(({ allocation, rank }) => [allocation, rank]));
  ranks.set(planned, known);
  return known;
}
