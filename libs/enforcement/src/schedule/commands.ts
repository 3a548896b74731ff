import type {
  AfterRun,
  EnforcementOutcome,
  OnRestart,
  QuotaValues,
  Resources,
  TimerPolicy,
} from '@curtail/contracts';
import type { Stop } from '../run/control.js';

interface Timed {
  /** RFC 3339, to the millisecond: the moment of the save, look, end … */
  at: string;
}

/** What is used of a queue, to be held against its max. */
interface Used {
  usage: Resources;
  inFlight: Resources;
  /** The capacities of all nodes, by which a share of the cluster becomes amounts; absent or `{}`: not known. */
  clusterSize?: Resources;
}

/** What a command needs that may set a clock going. */
interface Starting extends Timed {
  /** The id of the run, should one be planned by this command. */
  newEnforcement: string;
  /** The switch of the partition; a clock that is set while it is off stands still. §3.6 */
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
  /** Of the queue at the moment of the save; only `shift` looks at it. */
  usage: Resources;
  /** From a template or a placement rule: it has no clock. §3.7 */
  dynamic?: boolean;
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
  /** Nothing holds the clock any more: neither the partition's switch nor a kill switch. */
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

/** A wake-up came, or a sweep found the queue due. §3.3 */
export interface Look extends Timed, Used {
  kind: 'look';
  /** The timer that the wake-up was for; absent = check everything pending. */
  generation?: number;
  enabled: boolean;
  stop?: Stop | undefined;
  /** An ancestor of the queue runs (`ancestorRuns`). */
  ancestorRuns: boolean;
  dynamic: boolean;
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
  /** It came to nothing for a reason that may pass: another run follows after a growing pause, for so long at the most. §3.4 */
  retry?: { forMs: number } | undefined;
}

/** The reconciler looked at a queue that has neither a clock nor a run. §3.8 */
export interface Reconcile extends Starting, Used {
  kind: 'reconcile';
  /** What follows where the quota is not met. */
  reconcile: 'notify' | 'enforce';
  /** The partition is only observed: no quota is enforced in it. */
  observed: boolean;
}

/**
 * The reconciler found that the limit in force is another share of the cluster than the clock knows, although the clock has applied
 * every change: an earlier version of Curtail kept the amounts of the save. §3.8
 */
export interface NoteShare extends Timed {
  kind: 'note-share';
  maxShare: string;
}

/** An operator calls off what is pending. A run in progress is called off at its executor instead. */
export interface CancelPending extends Timed {
  kind: 'cancel-pending';
  enforcement: string;
  by: string;
}

export type ScheduleCommand =
  | ChangeQuota
  | RemoveQueue
  | TurnSwitch
  | Restart
  | ExceedQuota
  | Look
  | EndRun
  | Reconcile
  | NoteShare
  | CancelPending;
