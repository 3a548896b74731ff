import { effectOnClock, leaves } from '#configuration';
import { type AfterRun, type DomainEvent, isWithin, type QuotaValues } from '#contracts';
import type { ClockPreview } from '#contracts/api';
import type { ClockAfterSave, ClockState, QuotaChange } from '#enforcement';

const causes: Record<string, string> = {
  'quota-lowered': 'max goes down',
  'delay-changed': 'the delay changes',
  'switched-on': 'the switch is turned on',
  'delay-zero': 'the delay is 0',
  'max-removed': 'there is no max',
  'quota-raised': 'max only goes up',
  'within-quota': 'usage is within the new max',
  unblocked: 'what blocked its last run has changed',
};

/** For a queue whose quota changes: the timer's decision, as text. */
export function previewClock(
  { state, events }: ClockAfterSave,
  { previous, current }: { previous: QuotaValues; current: QuotaValues },
  afterRun: AfterRun,
): ClockPreview {
  if (state.running) return { effect: 'none', because: whileRunning(state.running.enforcement, afterRun) };
  const expected = effectOnClock(previous, current);
  const decided = decidedBy(events);
  if (decided) return expected.effect === decided.effect ? expected : decided;
  if (expected.effect === 'none') return expected;
  if (expected.effect === 'cancels') return { effect: 'none', because: expected.because };
  return {
    effect: 'none',
    because: state.pending
      ? 'the timer policy keeps the due time of the pending clock'
      : 'the timer policy starts no clock for it',
  };
}

/** For a queue whose quota stays: only the switch of the partition, or what blocked its last run, affects its clock. */
export function pendingClockPreview({ events }: ClockAfterSave): ClockPreview {
  return decidedBy(events) ?? { effect: 'none', because: 'it is pending already' };
}

/** For a queue that leaves the configuration. */
export const removalPreview = (after: ClockAfterSave | undefined): ClockPreview =>
  decidedBy(after?.events ?? [])
    ? { effect: 'cancels', because: leaves }
    : {
        effect: 'none',
        because: after?.state.running ? 'its run in progress continues' : 'no clock of it runs',
      };

function decidedBy(events: readonly DomainEvent[]): ClockPreview | undefined {
  for (const event of events.toReversed()) {
    if (event.name === 'EnforcementScheduled' || event.name === 'EnforcementRescheduled')
      return { effect: 'starts or restarts', because: inWords(event.data.cause) };
    if (event.name === 'EnforcementCancelled')
      return { effect: 'cancels', because: inWords(event.data.cause) };
  }
  return undefined;
}

const inWords = (cause: string): string => causes[cause] ?? cause.replaceAll('-', ' ');

function whileRunning(enforcement: string, afterRun: AfterRun): string {
  const then =
    afterRun === 'ignore'
      ? 'the setting afterRun starts no clock for the change'
      : 'the clock judges the change when that run has ended';
  return `run ${enforcement} of this queue is in progress, and evicts no more than it has planned; ${then}`;
}

/** The most plans of one preview. */
const plansAtMost = 100;

export interface ClocksToPlan {
  planned: ClockState[];
  notPlanned: number;
}

/**
 * The clocks for which a preview makes plans: the pending ones, then those that only follow if their plans have victims; at most a hundred
 * of both.
 */
export function clocksToPlan(
  clocks: ReadonlyMap<string, ClockAfterSave>,
  changes: readonly Pick<QuotaChange, 'queue'>[],
  mayFollow: readonly ClockAfterSave[],
): ClocksToPlan {
  const { planned, notPlanned } = pendingToPlan(clocks, changes);
  const more = mayFollow.slice(0, plansAtMost - planned.length).map(({ state }) => state);
  return { planned: [...planned, ...more], notPlanned: notPlanned + mayFollow.length - more.length };
}

/**
 * All pending clocks, or if there are too many, those of changed queues first, then those of queues above and below one, since their runs
 * affect each other, then the others, each by due time.
 */
function pendingToPlan(
  clocks: ReadonlyMap<string, ClockAfterSave>,
  changes: readonly Pick<QuotaChange, 'queue'>[],
): ClocksToPlan {
  const pending = [...clocks.values()].filter(({ state }) => state.pending);
  if (pending.length <= plansAtMost) return { planned: pending.map(({ state }) => state), notPlanned: 0 };
  const changed = changes.filter(({ queue }) => clocks.get(queue)?.state.pending).map(({ queue }) => queue);
  const isChanged = new Set(changed);
  const near = changed.slice(0, plansAtMost);
  const nearness = (queue: string) => {
    if (isChanged.has(queue)) return 0;
    return near.some((other) => isWithin(queue, other) || isWithin(other, queue)) ? 1 : 2;
  };
  const inOrder = pending
    .map((after) => ({ ...after, nearness: nearness(after.state.queue) }))
    .sort((a, b) => a.nearness - b.nearness || byDueTime(a, b));
  return {
    planned: inOrder.slice(0, plansAtMost).map(({ state }) => state),
    notPlanned: pending.length - plansAtMost,
  };
}

export function byDueTime({ state: a }: ClockAfterSave, { state: b }: ClockAfterSave): number {
  const ms = Date.parse(a.pending?.dueAt ?? '') - Date.parse(b.pending?.dueAt ?? '');
  return ms || (a.queue < b.queue ? -1 : 1);
}
