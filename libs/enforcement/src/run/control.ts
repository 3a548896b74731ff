import {
  isWithin,
  type Limit,
  type Notice,
  ofEnforcement,
  ofPartition,
  ofQueue,
  type Resources,
} from '@curtail/contracts';
import { toMs } from '../instants.js';
import { isRound, type RunState } from './state.js';

/** A kill switch that is set. `queue` null = the whole partition; a queue covers everything below it. */
export interface Stop {
  queue: string | null;
  by: string;
  reason?: string;
}

export interface RunLimits {
  /** At most so many orders within any second; a whole number from 1. */
  victimsPerSecond: number;
  /** Victims that are checked and ordered together, at most; a whole number from 1. Those of a round go one by one. */
  victimsAtOnce: number;
  /** Orders of one victim, the first included. */
  maxAttempts: number;
  /** Between the first refusal and the second order; doubled with each further one. */
  backOffMs: number;
  maxBackOffMs: number;
}

/** The conditions that control a run and may change between two kills. Read again for every step. */
export interface RunControl {
  mode: 'observe' | 'enforce';
  /** Those that are set in the partition. */
  stops: readonly Stop[];
  /** Of the lock that the queue has now; undefined = the queue is not locked. */
  fencingToken: number | undefined;
  limits: RunLimits;
  /** The limit of the enforced queue in the current configuration, and whether its quotas are enforced. */
  inForce: Limit & { enabled: boolean };
  /** The capacities of all nodes, by which a share of the cluster becomes amounts; `{}` while no nodes are known. */
  clusterSize: Resources;
}

/** Why a run ends before its victims are through: the outcome, and the reason recorded for each remaining victim. */
export interface Abort extends Notice {
  outcome:
    | 'fenced'
    | 'observed'
    | 'stopped'
    | 'cancelled'
    | 'rejected'
    | 'deadline'
    | 'notified'
    | 'not-needed';
}

/**
 * Returns the first reason that applies. The fencing token comes first: a run that lost the lock decides nothing. A
 * mode that was turned to observe during a run stops it.
 */
export function abortReason(state: RunState, now: string, control: RunControl): Abort | undefined {
  const { opened, rejected, cancelled } = state;
  if (!opened) return undefined;
  const { partition, queue, enforcement } = opened;
  if (control.fencingToken !== opened.fencingToken) {
    return {
      outcome: 'fenced',
      code: 'fenced',
      message: 'The lock of the queue is held by another run, or by none.',
      about: ofQueue(queue),
    };
  }
  if (opened.mode === 'observe') {
    return {
      outcome: 'observed',
      code: 'observe',
      message: state.planned?.plan.observeOnly
        ? 'The policy only observes here (observeOnly); no owner is notified and nothing is evicted.'
        : 'The partition is only observed; nothing is evicted.',
      about: ofPartition(partition),
    };
  }
  const stop = coveringStop(queue, control.stops);
  if (stop) return { outcome: 'stopped', ...stopped(stop, partition) };
  if (cancelled) {
    return {
      outcome: 'cancelled',
      code: 'cancelled',
      message: withReason(`User ${cancelled.by} cancelled the run`, cancelled.reason),
      about: ofEnforcement(enforcement),
    };
  }
  if (rejected) {
    return {
      outcome: 'rejected',
      code: 'rejected',
      message: withReason(`User ${rejected.by} rejected the plan`, rejected.reason),
      about: ofEnforcement(enforcement),
    };
  }
  if (!isRound(state) && !state.begun && !control.inForce.enabled) {
    const message = 'Quota preemption was switched off for this queue before anything was evicted.';
    return { outcome: 'stopped', code: 'switched-off', message, about: ofQueue(queue) };
  }
  if (control.mode === 'observe') {
    const message = 'The partition is only observed from now on.';
    return { outcome: 'stopped', code: 'observe', message, about: ofPartition(partition) };
  }
  if (toMs(now) >= toMs(opened.deadlineAt)) {
    const message = `The deadline of the run, ${opened.deadlineAt}, has passed.`;
    return { outcome: 'deadline', code: 'deadline', message, about: ofEnforcement(enforcement) };
  }
  return undefined;
}

/** The kill switch that covers a queue below the enforced one: its victims are spared, and the run continues. */
export function stopOf(
  { partition, queue }: { partition: string; queue: string },
  control: Pick<RunControl, 'stops'>,
): Notice | undefined {
  const stop = coveringStop(queue, control.stops);
  return stop && stopped(stop, partition);
}

/** The first kill switch that covers a queue. */
export function coveringStop(queue: string, stops: readonly Stop[]): Stop | undefined {
  return stops.find((set) => set.queue === null || isWithin(queue, set.queue));
}

function stopped(stop: Stop, partition: string): Notice {
  const about = stop.queue === null ? ofPartition(partition) : ofQueue(stop.queue);
  return { code: 'stopped', message: stoppedBy(stop), about };
}

/** `User ann stopped evictions in root.a (reason).` */
export function stoppedBy({ queue, by, reason }: Stop): string {
  return withReason(`User ${by} stopped evictions in ${queue ?? 'the partition'}`, reason);
}

function withReason(what: string, reason: string | undefined): string {
  return reason === undefined ? `${what}.` : `${what} (${reason}).`;
}

/** The usage of one queue, as the cluster reports it now. */
export interface LiveQueue {
  usage: Resources;
  inFlight: Resources;
  /** In force now; absent = none. */
  guaranteed?: Resources;
  /** A run enforces its quota. */
  enforcing?: boolean;
  /**
   * Held by allocations whose eviction was requested and not answered yet: the cluster still counts them as running,
   * and may evict them at any moment.
   */
  notYetLeaving?: Resources;
}
