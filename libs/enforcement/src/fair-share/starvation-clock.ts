import type { DomainEvent, EventData, FairShareObservation, StarvationState } from '#contracts';
import { toInstant, toMs } from '../instants.js';

/*
 * The clock of the policy fair-share (docs/reference/policies/fair-share.md §8). From each observation of a partition it derives
 * which elements have been below their fair share for how long, and when the next observation is due at the latest.
 *
 *   normal ──below──▶ below, non_starving ──timeout over──▶ starving ──aggressive timeout over──▶ aggressively_starving
 *     ▲                                                                                                     │
 *     └──────────────────────────── normal again, from anywhere, at once ◀───────────────────────────────────┘
 *
 * A timer that fires changes nothing here: it asks for a plan, whose findings are the next observation.
 */

/** The findings of one plan of a partition: all elements and nodes that exist. */
export interface Observation extends FairShareObservation {
  partition: string;
  /** Of the timers that it sets; greater than that of any earlier observation. */
  generation: number;
}

export type ObservedElement = Observation['elements'][number];
export type ObservedNode = Observation['nodes'][number];

/** Of an element below its fair share, or of an overcommitted node; all others have none. */
export interface StarvationClock {
  kind: ObservedElement['kind'] | 'node';
  name: string;
  queue: string;
  /** Below its fair share, or overcommitted, since. */
  since: string;
  /** Of a node `non_starving`. */
  starvation: StarvationState;
  starvingSince: string | null;
  /** The due time of the latest timer, which may have fired. */
  dueAt: string | null;
}

export interface Observed {
  /** All clocks from now on. */
  clocks: StarvationClock[];
  events: DomainEvent[];
}

/** By kind and name: the order of events. */
export const clockKey = ({ kind, name }: Pick<StarvationClock, 'kind' | 'name'>) => `${kind} ${name}`;

/**
 * The clocks after an observation, and its events. An element that had a clock and no longer exists counts as normal.
 *
 * @param before of the last observation, which was no later than this one.
 */
export function observe(before: readonly StarvationClock[], observation: Observation): Observed {
  const known = new Map(before.map((clock) => [clockKey(clock), clock]));
  const seen = new Map<string, StarvationClock>();
  for (const element of observation.elements) {
    if (element.status === 'normal') continue;
    const clock = clockOf(known.get(clockKey(element)), element, observation.at);
    seen.set(clockKey(clock), clock);
  }
  for (const { id, over } of observation.nodes) {
    if (!over) continue;
    const key = clockKey({ kind: 'node', name: id });
    seen.set(key, clockOfNode(known.get(key), id, observation));
  }
  const keys = [...new Set([...known.keys(), ...seen.keys()])].sort();
  return {
    clocks: [...seen.values()],
    events: keys.flatMap((key) => changes(known.get(key), seen.get(key), observation)),
  };
}

function clockOf(
  before: StarvationClock | undefined,
  { kind, name, queue, timeout, aggressiveTimeout }: ObservedElement,
  at: string,
): StarvationClock {
  const since = before?.since ?? at;
  const was = before?.starvation ?? 'non_starving';
  const belowMs = toMs(at) - toMs(since);
  // After exactly its timeout an element does not starve yet.
  const starvation =
    before && aggressiveTimeout !== null && belowMs > aggressiveTimeout
      ? 'aggressively_starving'
      : before && belowMs > timeout
        ? 'starving'
        : was;
  const starvingSince =
    starvation === 'non_starving' ? null : was === 'non_starving' ? at : before!.starvingSince;
  const ends = aggressiveTimeout === null ? [timeout] : [timeout, aggressiveTimeout];
  return { kind, name, queue, since, starvation, starvingSince, dueAt: firstAfter(at, since, ends) };
}

function clockOfNode(
  before: StarvationClock | undefined,
  name: string,
  { at, overcommitMs }: Observation,
): StarvationClock {
  const since = before?.since ?? at;
  const dueAt = firstAfter(at, since, [overcommitMs]);
  return { kind: 'node', name, queue: 'root', since, starvation: 'non_starving', starvingSince: null, dueAt };
}

/** The first moment after `at` at which one of the timeouts has been passed. */
function firstAfter(at: string, since: string, timeouts: number[]): string | null {
  const due = timeouts.map((ms) => toMs(since) + Math.floor(ms) + 1).filter((ms) => ms > toMs(at));
  return due.length === 0 ? null : toInstant(Math.min(...due));
}

function changes(
  before: StarvationClock | undefined,
  now: StarvationClock | undefined,
  { partition, at, generation }: Observation,
): DomainEvent[] {
  const { queue, kind, name } = (now ?? before)!;
  const of: Pick<EventData<'TimerCancelled'>, 'partition' | 'queue' | 'kind' | 'name' | 'at'> = {
    partition,
    queue,
    kind,
    name,
    at,
  };
  const events: DomainEvent[] = [];
  if (kind !== 'node' && (!before || !now)) {
    const [from, to] = now
      ? (['normal', 'below_fair_share'] as const)
      : (['below_fair_share', 'normal'] as const);
    events.push({ name: 'StatusChanged', data: { ...of, from, to } });
  }
  const from = before?.starvation ?? 'non_starving';
  const to = now?.starvation ?? 'non_starving';
  if (from !== to) {
    events.push({ name: 'StarvationChanged', data: { ...of, from, to, since: now?.starvingSince ?? null } });
  }
  const dueAt = now?.dueAt ?? null;
  // A timer that has fired is over.
  const waited = before?.dueAt && toMs(before.dueAt) > toMs(at) ? before.dueAt : null;
  if (dueAt !== null && waited === null) {
    events.push({ name: 'TimerStarted', data: { ...of, dueAt, generation } });
  } else if (dueAt !== null && waited !== null && dueAt !== waited) {
    events.push({ name: 'TimerRestarted', data: { ...of, dueAt, generation, previousDueAt: waited } });
  } else if (dueAt === null && waited !== null) {
    events.push({ name: 'TimerCancelled', data: { ...of, dueAt: waited } });
  }
  return events;
}
