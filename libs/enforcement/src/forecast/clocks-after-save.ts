import {
  ancestors,
  type DomainEvent,
  type Flapping,
  type QuotaValues,
  type Resources,
  type TimerPolicy,
} from '#contracts';
import type { Unblock } from '../clock/commands.js';
import { decideClock } from '../clock/decide.js';
import { type ClockState, evolveClock, initialClockState } from '../clock/state.js';
import { isBlocked } from '../clock/unblocked.js';

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
 * @param states of all queues that have a pending clock, a run or a last run that fell short, or whose ups and downs are counted; other queues
 *   count as having had no clock yet.
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

/** What a command about each of these queues says. */
export type UnblockFacts = Pick<Unblock, 'at' | 'observed' | 'enabled'> & {
  queue(path: string): Pick<Unblock, 'usage' | 'inFlight' | 'clusterSize' | 'stop'>;
};

/** Queues at rest whose last run fell short, and with nothing due or running above or below them. */
export function blockedAfterSave(clocks: ReadonlyMap<string, ClockAfterSave>): string[] {
  const states = [...clocks.values()].map(({ state }) => state);
  const busy = new Set(
    states
      .filter(({ pending, running }) => running || (pending && !pending.suspended))
      .map(({ queue }) => queue),
  );
  const aboveBusy = new Set([...busy].flatMap(ancestors));
  return states
    .filter(
      ({ queue, pending, running, lastRun }) =>
        !pending && !running && isBlocked(lastRun) && !aboveBusy.has(queue),
    )
    .map(({ queue }) => queue)
    .filter((queue) => !ancestors(queue).some((above) => busy.has(above)));
}

/**
 * The clocks that the reconciler sets for these queues if a plan finds victims, since what blocked their last runs has changed
 * (docs/reference/policies/quota-decrease.md §3.12), by the decision of the timer. A caller has to make that plan.
 */
export function clocksUnblocked(
  clocks: ReadonlyMap<string, ClockAfterSave>,
  queues: readonly string[],
  { queue: factsOf, ...facts }: UnblockFacts,
): Map<string, ClockAfterSave> {
  const found = new Map<string, ClockAfterSave>();
  for (const queue of queues) {
    const after = clocks.get(queue);
    if (!after?.state.lastRun) continue;
    const { enforcement } = after.state.lastRun;
    const command = {
      kind: 'unblock' as const,
      ...facts,
      ...factsOf(queue),
      after: enforcement,
      message: '',
    };
    const events = decideClock({ ...command, newEnforcement: `preview-${queue}` }, after.state);
    if (events.length === 0) continue;
    found.set(queue, {
      state: events.reduce(evolveClock, after.state),
      events: [...after.events, ...events],
    });
  }
  return found;
}
