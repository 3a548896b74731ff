import type {
  AfterRun,
  Blocker,
  EnforcementOutcome,
  Flapping,
  OnRestart,
  QuotaValues,
  Resources,
  TimerPolicy,
} from '#contracts';
import type { Frozen, Stop } from '../run/control.js';

interface Timed {
  /** RFC 3339, to the millisecond: the moment of the save, check, end … */
  at: string;
}

/** The usage of a queue, to be compared with its max. */
interface Used {
  usage: Resources;
  inFlight: Resources;
  /** The capacities of all nodes, by which a share of the cluster becomes amounts; absent or `{}`: not known. */
  clusterSize?: Resources;
}

/** The fields of a command that may start a clock. */
interface Starting extends Timed {
  /** The id of the run, should one be planned by this command. */
  newEnforcement: string;
  /** The switch of the partition; a clock that starts while it is off is suspended. §3.6 */
  enabled: boolean;
  /** The kill switch that covers the queue: it holds clocks as the partition's switch does. §3.6 */
  stop?: Stop | undefined;
}

/** A configuration was saved in which max or effective delay of the queue differ. §3.1, §3.2 */
export interface ChangeQuota extends Starting {
  kind: 'change-quota';
  /** The values just before: for a dynamic queue that enters the configuration those that it had. */
  previous: QuotaValues;
  current: QuotaValues;
  timerPolicy: TimerPolicy;
  /** Of the queue at the moment of the save; only `shift` uses it. */
  usage: Resources;
  /** From a template or a placement rule: it has no clock. §3.7 */
  dynamic?: boolean;
  /** The setting of the queue; absent: off. §3.11 */
  flapping?: Flapping;
}

/** The queue left the configuration: it counts as without max. §3.7 */
export interface RemoveQueue extends Timed {
  kind: 'remove-queue';
}

/**
 * The switch of the partition was turned, or a kill switch that covers the queue was set or cleared. One for each queue. §3.6
 */
export interface TurnSwitch extends Timed {
  kind: 'turn-switch';
  /** True if nothing holds the clock any more: neither the partition's switch nor a kill switch. */
  on: boolean;
  /** The kill switch that was set, or cleared; absent: it was the partition's switch. */
  stop?: Stop | undefined;
}

/** The service started. §3.6 */
export interface Restart extends Starting {
  kind: 'restart';
  onRestart: OnRestart;
  timerPolicy: TimerPolicy;
  /** The values found at the start; absent = as before. */
  found?: QuotaValues;
  usage: Resources;
  dynamic?: boolean;
}

/** An allocation was forced in, or grew. §3.2 */
export interface ExceedQuota extends Starting, Omit<Used, 'inFlight'> {
  kind: 'exceed-quota';
  how: 'allocation-forced' | 'allocation-resized';
  timerPolicy: TimerPolicy;
  dynamic?: boolean;
}

/** A wake-up arrived, or a sweep found the queue due. §3.3 */
export interface CheckDueClock extends Timed, Used {
  kind: 'check';
  /** The timer that the wake-up was for; absent = check everything pending. */
  generation?: number;
  enabled: boolean;
  stop?: Stop | undefined;
  /** A freeze holds the clock now. §3.10 */
  frozen?: Frozen | undefined;
  /** An ancestor of the queue runs (`ancestorRuns`). */
  ancestorRuns: boolean;
  dynamic: boolean;
  /** The version of the configuration that last changed the quota of the queue; absent: not known. */
  configuration?: number | undefined;
  /** Larger than every token given before; used up only if the run starts. */
  fencingToken: number;
}

/** The executor reported the end of a run, or its lease ended unrenewed. §3.4, §3.5 */
export interface EndRun extends Starting, Used {
  kind: 'end-run';
  /** Another run than the one in progress is not ended by this. */
  enforcement: string;
  cause: 'ended' | 'lease-ended';
  afterRun: AfterRun;
  /** Of `ended`: how the run ended, and what it left above the quota. */
  outcome?: EnforcementOutcome;
  shortfall?: Resources;
  /** The run failed for a reason that may pass: another run follows after a growing pause, for at most this long. §3.4 */
  retry?: { forMs: number } | undefined;
  /** Why the run fell short. */
  blocked?: readonly Blocker[] | undefined;
  /** The setting: another run follows after a pause where victims stayed that may go by then. §3.12 */
  retryUnblocked?: boolean;
}

/** The reconciler checked a queue that has neither a clock nor a run. §3.8 */
export interface Reconcile extends Starting, Used {
  kind: 'reconcile';
  /** The reaction where the quota is not met. */
  reconcile: 'notify' | 'enforce';
  /** The partition is only observed: no quota is enforced in it. */
  observed: boolean;
}

/**
 * The reconciler found that a run of this queue would evict now what the last one could not: what blocked it has changed. §3.12
 */
export interface Unblock extends Starting, Used {
  kind: 'unblock';
  /** The run that fell short. Another one has ended since: nothing follows. */
  after: string;
  observed: boolean;
  /** What the run would evict, a sentence. */
  message: string;
}

/**
 * The reconciler found that the limit in force is another share of the cluster than the clock has, although the clock
 * has applied every change. §3.8
 */
export interface NoteShare extends Timed {
  kind: 'note-share';
  maxShare: string;
}

/** An operator cancels the pending run. A run in progress is cancelled at its executor instead. */
export interface CancelPending extends Timed {
  kind: 'cancel-pending';
  enforcement: string;
  by: string;
}

/** The freezes of the partition changed: a clock that waits for the end of one may be due earlier. §3.10 */
export interface ReviewFreeze extends Timed {
  kind: 'review-freeze';
  /** A freeze holds the clock now. */
  frozen: Frozen | undefined;
}

/** An operator requests a run of a queue that is above its quota. §3.9 */
export interface RequestClock extends Starting, Used {
  kind: 'request-run';
  /** Without the delay of the queue. */
  atOnce: boolean;
}

export type ClockCommand =
  | ChangeQuota
  | RemoveQueue
  | TurnSwitch
  | Restart
  | ExceedQuota
  | CheckDueClock
  | EndRun
  | Reconcile
  | Unblock
  | NoteShare
  | CancelPending
  | ReviewFreeze
  | RequestClock;
