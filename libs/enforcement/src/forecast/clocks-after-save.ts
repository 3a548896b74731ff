import type { DomainEvent, Flapping, QuotaValues, Resources, TimerPolicy } from '#contracts';
import { decideClock } from '../clock/decide.js';
import { type ClockState, evolveClock, initialClockState } from '../clock/state.js';

/** A queue whose quota a configuration would change. */
export interface QuotaChange {
  queue: string;
  previous: QuotaValues;
  /** Null where the queue leaves the configuration. */
  current: QuotaValues | null;
  /** Of the queue now; only the timer policy `shift` uses it. */
  usage: Resources;
  /** The setting of the queue in the configuration; absent: off. */
  flapping?: Flapping;
}

/** A configuration as it would be saved. */
export interface Save {
  partition: string;
  /** RFC 3339: the moment of the save. */
  at: string;
  timerPolicy: TimerPolicy;
  /** The switch of the partition; `wasEnabled` is null before the first configuration. */
  enabled: boolean;
  wasEnabled: boolean | null;
  changes: readonly QuotaChange[];
}

/** The clock of a queue after a save, and the events of its stream that lead there; none if the save does not affect it. */
export interface ClockAfterSave {
  state: ClockState;
  events: DomainEvent[];
}

/**
 * Computes the clocks of a partition after a configuration is saved, with the decisions of the timer: first the switch,
 * then each changed quota (docs/reference/policies/quota-decrease.md §3.1, §3.2, §3.6).
 *
 * @param states of all queues that have a pending clock or a run, or whose ups and downs are counted; other queues count as having had no
 *   clock yet.
 * @returns by queue: those of `states` and of the changes.
 */
export function clocksAfterSave(states: readonly ClockState[], save: Save): Map<string, ClockAfterSave> {
  const { partition, at, enabled, wasEnabled, timerPolicy, changes } = save;
  const clocks = new Map<string, ClockAfterSave>(states.map((state) => [state.queue, { state, events: [] }]));
  const decide = (queue: string, command: Parameters<typeof decideClock>[0]) => {
    const clock = clocks.get(queue) ?? { state: initialClockState(partition, queue), events: [] };
    const events = decideClock(command, clock.state);
    const state = events.reduce(evolveClock, clock.state);
    clocks.set(queue, { state, events: [...clock.events, ...events] });
  };
  if (wasEnabled !== null && wasEnabled !== enabled) {
    for (const { queue } of states) decide(queue, { kind: 'turn-switch', at, on: enabled });
  }
  for (const { queue, previous, current, usage, flapping = false } of changes) {
    const newEnforcement = `preview-${queue}`;
    if (current === null) decide(queue, { kind: 'remove-queue', at });
    else
      decide(queue, {
        kind: 'change-quota',
        at,
        previous,
        current,
        timerPolicy,
        usage,
        flapping,
        enabled,
        newEnforcement,
      });
  }
  return clocks;
}
