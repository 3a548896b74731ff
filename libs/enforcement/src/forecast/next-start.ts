import { isWithin, type Resources } from '#contracts';
import { firingOrder } from '../clock/table.js';

/** A clock that will fire. */
export interface ForecastClock {
  queue: string;
  /** RFC 3339; orders clocks that start at the same moment. */
  dueAt: string;
  /** Not before. */
  from: Moment;
}

/** A run that is in progress, or was forecast to start. */
export interface ForecastRun {
  queue: string;
  /** When its lock is released. */
  until: Moment;
  /** The victims of a forecast run that still run today. Victims of a run in progress leave by themselves. */
  victims: readonly ForecastVictim[];
}

export interface ForecastVictim {
  allocation: string;
  application: string;
  queue: string;
  /** Of the application, where known. */
  user?: string;
  resources: Resources;
  /** A stop covers its queue, so the run spares it: it counts as leaving only while the run is in progress. */
  spared: boolean;
}

export interface ForecastStart<C extends ForecastClock> {
  clock: C;
  at: Moment;
  /** The queue above whose run it waits for. */
  waitsFor?: string;
  /** Earlier runs: those in progress then, and those that have ended. */
  inProgress: ForecastRun[];
  over: ForecastRun[];
}

/**
 * Returns the next run to start, in the order of docs/reference/policies/quota-decrease.md §3.3, with the earlier runs
 * that its plan depends on: a queue below a run waits until that run has ended; every other run is in progress until
 * its own end.
 *
 * @param clocks that have not fired yet; undefined is returned if there are none.
 * @param runs in progress now, and those forecast before.
 */
export function nextStart<C extends ForecastClock>(
  clocks: readonly C[],
  runs: readonly ForecastRun[],
): ForecastStart<C> | undefined {
  const inOrder = firingOrder(clocks.map((clock) => ({ path: clock.queue, dueAt: clock.dueAt, clock })));
  let next: { clock: C; at: Moment } | undefined;
  for (const { clock } of inOrder) {
    const at = latest([clock.from, ...above(clock, runs).map(({ until }) => until)]);
    if (next === undefined || compareMoments(at, next.at) < 0) next = { clock, at };
  }
  if (next === undefined) return undefined;
  const { clock, at } = next;
  const inProgress = runs.filter(({ until }) => compareMoments(until, at) > 0);
  const awaited = above(clock, runs).filter(({ until }) => compareMoments(until, clock.from) > 0);
  const last = awaited.find(({ until }) => compareMoments(until, at) === 0);
  return {
    clock,
    at,
    ...(last && { waitsFor: last.queue }),
    inProgress,
    over: runs.filter((run) => !inProgress.includes(run)),
  };
}

/** The runs of the queues above one. They all started earlier: a queue that is due later does not hold it up. */
function above({ queue }: ForecastClock, runs: readonly ForecastRun[]): ForecastRun[] {
  return runs.filter((run) => run.queue !== queue && isWithin(queue, run.queue));
}

/**
 * A moment in the future. Steps that wait for an operator have no date: each wait for an operator begins a new phase,
 * which comes after everything in the phases before. Phase 0 is the time that passes by itself, in milliseconds since
 * 1970; later phases count from their start.
 */
export interface Moment {
  readonly phase: number;
  readonly ms: number;
}

/** After the approval of a run that has opened at `at`. */
export const afterApproval = ({ phase }: Moment): Moment => ({ phase: phase + 1, ms: 0 });

/** Clocks that a stop holds: `ms` after it is lifted, which counts as later than every approval. */
export const afterResume = (ms: number): Moment => ({ phase: 1_000_000, ms });

export const atDate = (ms: number): Moment => ({ phase: 0, ms });

const compareMoments = (a: Moment, b: Moment): number => a.phase - b.phase || a.ms - b.ms;

const latest = (moments: readonly Moment[]): Moment =>
  moments.reduce((last, moment) => (compareMoments(moment, last) > 0 ? moment : last));
