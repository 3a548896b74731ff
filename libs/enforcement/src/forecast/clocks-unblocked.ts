import { ancestors } from '#contracts';
import type { Unblock } from '../clock/commands.js';
import { decideClock } from '../clock/decide.js';
import { type ClockState, evolveClock } from '../clock/state.js';
import { isBlocked } from '../clock/unblocked.js';
import type { ClockAfterSave } from './clocks-after-save.js';

/** The reconciler does not plan a larger queue for this: the plan would hold up clocks that are due. §3.12 */
export const mostAllocationsToUnblock = 100_000;

/** Whether a queue above or below has a clock that is due or a run: it may bring this queue down, so the reconciler waits for it. §3.12 */
export function nearBusy(busy: ReadonlySet<string>): (queue: string) => boolean {
  const aboveBusy = new Set([...busy].flatMap(ancestors));
  return (queue) => aboveBusy.has(queue) || ancestors(queue).some((above) => busy.has(above));
}

/**
 * The queues that may get another run after a save, since what blocked their last one has changed: those at rest, with no clock and no run
 * above or below them (docs/reference/policies/quota-decrease.md §3.12).
 *
 * @param clocks those that the save leads to.
 * @param states of queues whose last run fell short; one that the save affects counts as it is in `clocks`.
 * @param isStopped whether a kill switch holds the clock of a queue.
 */
export function queuesToUnblock(
  clocks: ReadonlyMap<string, ClockAfterSave>,
  states: readonly ClockState[],
  isStopped: (queue: string) => boolean,
): ClockAfterSave[] {
  const busy = new Set<string>();
  for (const { state } of clocks.values()) {
    const { queue, pending, running } = state;
    if (running || (pending && !pending.suspended && !isStopped(queue))) busy.add(queue);
  }
  const isNear = nearBusy(busy);
  return states
    .map((state) => clocks.get(state.queue) ?? { state, events: [] })
    .filter(
      ({ state: { queue, pending, running, lastRun } }) =>
        !pending && !running && isBlocked(lastRun) && !isNear(queue),
    );
}

/**
 * The clock that the reconciler sets if a plan of the queue has victims, by the decision of the timer: the caller makes that plan.
 * Undefined: it sets none.
 */
export function clockUnblocked(
  { state, events: before }: ClockAfterSave,
  facts: Omit<Unblock, 'kind' | 'after' | 'message' | 'newEnforcement'>,
): ClockAfterSave | undefined {
  const events = decideClock(
    {
      kind: 'unblock',
      ...facts,
      after: state.lastRun?.enforcement ?? '',
      message: '',
      newEnforcement: `preview-${state.queue}`,
    },
    state,
  );
  if (events.length === 0) return undefined;
  return { state: events.reduce(evolveClock, state), events: [...before, ...events] };
}
