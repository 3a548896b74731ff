import { type Notice, ofEnforcement, ofPartition, ofQueue } from '#contracts';
import { toMs } from '../instants.js';
import { whyObserved } from '../mode/mode-in-force.js';
import { coveringStop, type RunControl, stopped, withReason } from './control.js';
import type { RunState } from './run-state.js';
import { isRound } from './state.js';

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

/** Whether the deadline of a run that is open has passed. */
export const isOverdue = ({ opened, ended }: RunState, now: string): boolean =>
  opened !== undefined && !ended && toMs(now) >= toMs(opened.deadlineAt);

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
  const observed = whyObserved({ because: control.modeBecause ?? 'set' });
  if (opened.mode === 'observe') {
    return {
      outcome: 'observed',
      code: 'observe',
      message: state.planned?.plan.observeOnly
        ? 'The policy only observes here (observeOnly); no owner is notified and nothing is evicted.'
        : `${observed}; nothing is evicted.`,
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
  const { change } = control;
  if (change && !change.approved) {
    return {
      outcome: 'rejected',
      code: 'rejected',
      message: withReason(
        `User ${change.by} rejected all runs of configuration ${change.configuration}`,
        change.reason,
      ),
      about: ofEnforcement(enforcement),
    };
  }
  if (!isRound(state) && !state.begun && !control.inForce.enabled) {
    const message = 'Quota preemption was switched off for this queue before anything was evicted.';
    return { outcome: 'stopped', code: 'switched-off', message, about: ofQueue(queue) };
  }
  if (control.mode === 'observe') {
    const message =
      control.modeBecause === 'limit' ? `${observed}.` : 'The partition is only observed from now on.';
    return { outcome: 'stopped', code: 'observe', message, about: ofPartition(partition) };
  }
  if (isOverdue(state, now)) {
    const passed = `The deadline of the run, ${opened.deadlineAt}, has passed`;
    const { unknownCluster } = control;
    // A run that no one has approved would have evicted nothing in a known cluster either.
    if (unknownCluster === undefined || awaitsApproval(state, control)) {
      return {
        outcome: 'deadline',
        code: 'deadline',
        message: `${passed}.`,
        about: ofEnforcement(enforcement),
      };
    }
    const message = `${passed} while the cluster was unknown: ${unknownCluster}.`;
    return { outcome: 'deadline', code: 'cluster-unknown', message, about: ofPartition(partition) };
  }
  return undefined;
}

/** Whether an operator has lifted the ceilings of the partition for this run, or for all runs of its configuration. */
export function ceilingsLifted(state: RunState, { change }: Pick<RunControl, 'change'>): boolean {
  return state.ceilingsLifted || change?.approved === true;
}

/**
 * Whether an open run waits for an approval: from its opening on, or since it was held. An approval from before the hold,
 * which was given for the size of the plan, does not lift a ceiling.
 */
export function awaitsApproval(state: RunState, { change }: Pick<RunControl, 'change'>): boolean {
  if (change?.approved) return false;
  if (state.opened?.needsApproval && !state.approved) return true;
  return state.held !== undefined && !state.ceilingsLifted;
}
