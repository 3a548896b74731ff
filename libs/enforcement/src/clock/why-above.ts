import { type Blocker, counted, nodeLabelsSentence, type Resources } from '#contracts';
import { inWords, isNothing } from '../amounts.js';
import { type Stop, stoppedBy } from '../run/control.js';
import { type ClockHolds, whyClockWaits } from '../why-waiting.js';
import { explainedByLastRun } from './decide.js';
import { howLastRunEnded } from './notices.js';
import type { ClockState, LastRun } from './state.js';

/** What holds back the runs of a queue. */
export interface QueueHolds extends ClockHolds {
  /** The switch of the partition. */
  enabled: boolean;
  observed: boolean;
  stop: Stop | undefined;
  /** Why its run in progress does not continue, a sentence. */
  runWaits?: string | undefined;
}

/** The reasons for which no run follows by itself, and that no decision explains: they need a person. */
export const needsPerson = ({ code }: { code: string }): boolean =>
  code === 'quota-not-met' || code === 'best-effort' || code === 'impossible';

/** Why a queue is above its quota now. `enforcement`: the run that the reason is about. */
export interface WhyAbove {
  code:
    | 'running'
    | 'due'
    | 'overdue'
    | 'cluster-unknown'
    | 'ancestor-running'
    | 'size-unknown'
    | 'suspended'
    | 'frozen'
    | 'flapping'
    | 'node-labels'
    | 'switched-off'
    | 'no-delay'
    | 'stopped'
    | 'observed'
    | 'cancelled'
    | 'rejected'
    | 'satisfied'
    | 'best-effort'
    | 'impossible'
    | 'quota-not-met';
  /** One sentence. */
  message: string;
  enforcement?: string;
  /** The code of the first of what kept its last run from its target; absent: nothing is known to have. */
  blocked?: string;
}

/**
 * Why a queue is above its quota: the run that will change that, or what keeps Curtail from changing it. The reasons
 * match those of the reconciler (docs/reference/policies/quota-decrease.md §3.8); `quota-not-met` is none.
 *
 * @param state of its clock; undefined: it has none yet.
 * @param over the usage above the quota, in base units.
 * @param at RFC 3339
 */
export function whyAbove(
  state: ClockState | undefined,
  over: Resources,
  holds: QueueHolds,
  at: string,
): WhyAbove {
  const { enabled, observed, stop, nodeLabels = [] } = holds;
  const { pending, running, lastRun } = state ?? {};
  if (running) {
    const { enforcement } = running;
    return { code: 'running', enforcement, message: holds.runWaits ?? `Run ${enforcement} is in progress.` };
  }
  if (state && pending) {
    const { code, message } = whyClockWaits({ partition: state.partition, ...pending }, holds, at);
    return { code: code as WhyAbove['code'], enforcement: pending.enforcement, message };
  }
  if (nodeLabels.length > 0) return { code: 'node-labels', message: nodeLabelsSentence(nodeLabels) };
  if (!enabled) {
    return {
      code: 'switched-off',
      message: 'Quota preemption is off in the configuration of the partition.',
    };
  }
  if (state?.values.delayMs === 0) {
    return { code: 'no-delay', message: 'Its delay is 0: a lowered quota of this queue is not enforced.' };
  }
  if (stop) return { code: 'stopped', message: stoppedBy(stop) };
  if (observed) return { code: 'observed', message: 'The partition is only observed: nothing is evicted.' };
  if (state && lastRun && explainedByLastRun(state, over)) {
    return { code: lastRun.outcome as WhyAbove['code'], ...whyAfter(lastRun) };
  }
  return {
    code: 'quota-not-met',
    ...(lastRun && { enforcement: lastRun.enforcement }),
    ...blockedBy(lastRun),
    message: lastRun
      ? [`Nothing is due: ${howLastRunEnded(lastRun)}.`, ...reasonsOf(lastRun.blocked ?? [])].join(' ')
      : 'Nothing is due: no run has enforced this quota.',
  };
}

/** True of each run with that outcome, whatever it recorded beside. */
const ends: Partial<Record<LastRun['outcome'], string>> = {
  cancelled: 'was cancelled by an operator.',
  rejected: 'was rejected by an operator.',
  satisfied: 'left no more above the quota than the setting miss allows.',
};

/** The reasons that a sentence names; more are counted. */
const namedReasons = 2;

function whyAfter({ enforcement, outcome, shortfall, blocked = [] }: LastRun): Omit<WhyAbove, 'code'> {
  const end = ends[outcome] ?? `ended as ${outcome}.`;
  if (outcome !== 'best-effort' && outcome !== 'impossible') {
    return { enforcement, message: `Run ${enforcement} ${end}` };
  }
  const did = outcome === 'impossible' ? 'could free nothing of' : 'could not free';
  const left = isNothing(shortfall)
    ? 'what is above the quota'
    : `the ${inWords(shortfall)} that it left above the quota`;
  const message = [`Run ${enforcement} ${did} ${left}.`, ...reasonsOf(blocked)].join(' ');
  return { enforcement, message, ...blockedBy({ blocked }) };
}

function blockedBy(lastRun: Pick<LastRun, 'blocked'> | undefined): Pick<WhyAbove, 'blocked'> {
  const first = lastRun?.blocked?.[0];
  return first ? { blocked: first.code } : {};
}

function reasonsOf(blocked: readonly Blocker[]): string[] {
  const more = blocked.length - namedReasons;
  const named = blocked.slice(0, namedReasons).map(({ message }) => message);
  return more > 0 ? [...named, `${counted(more, 'more reason is', 'more reasons are')} on record.`] : named;
}
