import type {
  Blocker,
  DomainEvent,
  EnforcementOutcome,
  EventData,
  QuotaTurns,
  QuotaValues,
  Resources,
  RunFailures,
} from '#contracts';
import { sameLimit } from '../amounts.js';
import { rowOf } from './table.js';

/** A clock that runs: the run that will start, and when. */
export interface PendingRun {
  enforcement: string;
  /** Incremented when `dueAt` was set; a wake-up for an older one is ignored. */
  generation: number;
  dueAt: string;
  /** Recorded as suspended because the partition's switch is off or a kill switch covers the queue. */
  suspended: boolean;
  /** It waits for the end of a freeze; it was due before at this time. */
  frozen?: { dueAt: string };
  /** It waits for a max that is flapping; otherwise it would be due at this time. */
  flapping?: { dueAt: string };
  /** The failed runs before it. */
  failures?: RunFailures;
  /** The run that fell short, which it follows. */
  unblocked?: AfterBlocked;
}

/** Of a run that follows one that fell short: that one, and how many such runs have followed one another, this one included. */
export interface AfterBlocked {
  after: string;
  attempt: number;
}

/** The outcome of the last run of a queue, or `cancelled` by an operator before it started. */
export interface LastRun {
  enforcement: string;
  outcome: EnforcementOutcome;
  /** The amount that it left above the quota. */
  shortfall: Resources;
  /** In force when it ended. */
  values: QuotaValues;
  /** Why it fell short; absent: it did not, or that was not recorded. */
  blocked?: readonly Blocker[];
  /** It followed a run that fell short, and has evicted nothing itself: so many such runs have followed one another. */
  attempt?: number;
}

/** The lock: from firing until the executor reports the end, or its lease ends. */
export interface RunUnderWay {
  enforcement: string;
  fencingToken: number;
  startedAt: string;
  /** The values in force when it fired; skipped changes are judged against them. */
  firedWith: QuotaValues;
  /** A save had no effect on the clock because of this run. */
  changeSkipped: boolean;
  failures?: RunFailures;
  unblocked?: AfterBlocked;
}

/**
 * The clock of one queue (docs/reference/policies/quota-decrease.md §3). Three states:
 *
 * ```
 *            change / forced allocation                    check: due, over quota
 *   idle ───────────────────────────────▶ pending ───────────────────────────────▶ running
 *     ▲                                    │  ▲ │                                     │
 *     │   change / not needed / operator   │  └─┘ change, switch on, restart          │
 *     ├────────────────────────────────────┘                                          │
 *     │                       end of the run, or of its lease                         │
 *     └───────────────────────────────────────────────────────────────────────────────┤
 *                       pending ◀── a skipped change is judged at the end ────────────┘
 * ```
 *
 * `pending` and `running` exclude each other: firing takes the due time away, and a change during a run sets none.
 * Only the timer, which is the one writer of the stream, changes it. A crash between reading and appending leaves
 * the stream as it was, and the same command is decided again; a crash after the append leaves a due time or a lock that
 * the next check, or the end of the lease, picks up.
 */
export interface ClockState {
  readonly partition: string;
  readonly queue: string;
  /** In force; before the first configuration no max and delay 0. */
  readonly values: QuotaValues;
  /** Of the last clock that was set, 0 before the first. */
  readonly generation: number;
  readonly pending?: PendingRun;
  readonly running?: RunUnderWay;
  /** Absent before the first run, and once another clock is set. */
  readonly lastRun?: LastRun | undefined;
  /** `QuotaNotMet` was recorded, and neither a clock nor `QuotaMet` since. */
  readonly notMet?: boolean;
  /** Of max, while the setting `flapping` counts them. */
  readonly turns?: QuotaTurns;
}

export const unconfigured: QuotaValues = { max: null, delayMs: 0 };

export function initialClockState(partition: string, queue: string): ClockState {
  return { partition, queue, values: unconfigured, generation: 0 };
}

/** One event of the stream `schedule-<partition>/<queue>` applied. Events of other kinds change nothing. */
export function evolveClock(state: ClockState, event: DomainEvent): ClockState {
  switch (event.name) {
    case 'EnforcementScheduled':
    case 'EnforcementRescheduled': {
      const { enforcement, generation, dueAt, ownDueAt, current } = event.data;
      const failures = 'failures' in event.data ? event.data.failures : keptFailures(state, current);
      const unblocked =
        event.name === 'EnforcementScheduled' ? afterBlocked(event.data) : keptBlocked(state, current);
      const frozen = event.data.cause === 'frozen' && dueBefore(state, event.data.previousDueAt);
      return {
        ...without(state, 'lastRun', 'notMet', 'turns'),
        ...turnsAt(event.data, state),
        values: current,
        generation,
        pending: {
          enforcement,
          generation,
          dueAt,
          suspended: false,
          ...(frozen && { frozen }),
          ...(ownDueAt !== undefined && { flapping: { dueAt: ownDueAt } }),
          ...(failures && { failures }),
          ...(unblocked && { unblocked }),
        },
      };
    }
    case 'EnforcementCancelled': {
      const { cause, enforcement, current } = event.data;
      const values = current ?? state.values;
      const cancelled = {
        ...without(state, 'turns'),
        ...turnsAt(event.data, state),
        values,
        pending: undefined,
      };
      if (cause !== 'operator') return cancelled;
      return { ...cancelled, lastRun: { enforcement, outcome: 'cancelled', shortfall: {}, values } };
    }
    case 'EnforcementSkipped': {
      const values = event.data.current ?? state.values;
      const noted = { ...without(state, 'turns'), ...turnsAt(event.data, state), values };
      if (event.data.cause === 'suspended' && state.pending) {
        return { ...noted, pending: { ...state.pending, suspended: true } };
      }
      if (event.data.cause === 'running' && state.running) {
        return { ...noted, running: { ...state.running, changeSkipped: true } };
      }
      return noted;
    }
    case 'EnforcementStarted': {
      const { enforcement, fencingToken, startedAt, values, failures, unblocked } = event.data;
      const run = { enforcement, fencingToken, startedAt, firedWith: values, changeSkipped: false };
      const running = { ...run, ...(failures && { failures }), ...(unblocked && { unblocked }) };
      return { ...state, values, pending: undefined, running };
    }
    case 'EnforcementReleased': {
      const { enforcement, outcome, shortfall = {}, blocked } = event.data;
      const released = { ...state, running: undefined };
      if (outcome === undefined) return released;
      const attempt = outcome === 'best-effort' ? undefined : state.running?.unblocked?.attempt;
      // It fell short of the max that it fired with, and says nothing about one that was lowered since.
      const isLowered = state.running !== undefined && rowOf(state.running.firedWith, state.values) === 'f';
      const why = blocked && !isLowered ? { blocked, ...(attempt && { attempt }) } : {};
      return { ...released, lastRun: { enforcement, outcome, shortfall, values: state.values, ...why } };
    }
    case 'QuotaNoted':
      return {
        ...without(state, 'turns'),
        ...turnsAt(event.data, state),
        values: event.data.current,
      };
    case 'QuotaNotMet':
      return { ...state, notMet: true };
    case 'QuotaMet':
      return without(state, 'notMet');
    default:
      return state;
  }
}

/** A freeze that is extended keeps the due time before it. */
const dueBefore = ({ pending }: ClockState, dueAt: string) => pending?.frozen ?? { dueAt };

/** A clock that is rescheduled for a reason other than its values still belongs to a run that follows failed ones. */
function keptFailures({ pending, values }: ClockState, current: QuotaValues): RunFailures | undefined {
  return sameLimit(values, current) ? pending?.failures : undefined;
}

/** A quota that was changed since has nothing to do with the run that fell short. */
const keptBlocked = ({ pending, values }: ClockState, current: QuotaValues): AfterBlocked | undefined =>
  sameLimit(values, current) ? pending?.unblocked : undefined;

const afterBlocked = ({ unblocked }: EventData<'EnforcementScheduled'>): AfterBlocked | undefined =>
  unblocked && { after: unblocked.after, attempt: unblocked.attempt };

/** Those of an event; else those before, unless max changed uncounted. */
function turnsAt(
  { current, turns }: { current?: QuotaValues; turns?: QuotaTurns },
  state: ClockState,
): Pick<ClockState, 'turns'> {
  if (turns) return { turns };
  const isKept = state.turns && (current === undefined || sameLimit(state.values, current));
  return isKept ? { turns: state.turns } : {};
}

function without(state: ClockState, ...names: ('lastRun' | 'notMet' | 'turns')[]): ClockState {
  const kept = { ...state };
  for (const name of names) delete kept[name];
  return kept;
}
