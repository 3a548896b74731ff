import { type DomainEvent, type Notice, ofEnforcement } from '#contracts';
import { countedVictims } from '../limits/ceilings.js';
import { type Abort, abortReason, awaitsApproval, ceilingsLifted } from './abort-reason.js';
import type { RunControl } from './control.js';
import { checked } from './decide-victims.js';
import { abort, endOfWork, endWithoutPlan, queueToCheck } from './end.js';
import type { QueueFacts, VictimFacts } from './facts.js';
import { earliestOf, nextVictims, rateOf, whatFor } from './next-victims.js';
import { hasUnknownQuota, judgedAgain } from './rejudge.js';
import { resolve } from './resolve-order.js';
import { assert, hasOutcome, type RunState } from './run-state.js';
import { isRound, notifiesInOneRound } from './state.js';
import { earlier, type Step, stopAt, waitForCluster } from './step.js';
import { victimSparedEvent } from './victim-events.js';

/**
 * Decides the next step of a run from the recorded events, the time and the current controls. `facts` are those that
 * the step before asked for; facts about other victims are ignored. Every condition for a kill is checked here, in this
 * order: lock, mode, kill switch, cancel, rejection, switch of the policy, deadline, approval, ceilings, quota in force,
 * back-off, extension, rate, presence, need, floors, its start.
 */
export function nextStep(
  state: RunState,
  now: string,
  control: RunControl,
  facts: readonly VictimFacts[] | QueueFacts = [],
): Step {
  const [ofVictims, ofQueue] = isOfVictims(facts) ? [facts, undefined] : [[], facts];
  if (state.ended) return { kind: 'done' };
  if (state.planFailed) return { kind: 'append', events: [endWithoutPlan(state)] };
  if (!state.planned) return { kind: 'wait', for: 'plan' };
  if (!state.opened) return { kind: 'open' };
  const order = state.openOrders.first();
  if (order) return resolve(state, order, now, control, ofVictims[0]);

  const { victims } = state.planned.plan;
  if (victims.length === 0 || state.settledUpTo === victims.length) {
    return finish(state, now, control, ofQueue);
  }
  const reason = abortReason(state, now, control);
  if (reason) return { kind: 'append', events: abort(state, reason) };
  const { needsApproval, deadlineAt } = state.opened;
  const toNotify = (state.opened.notify ?? []).filter((rank) => !hasOutcome(state, rank));
  if (toNotify.length > 0) return { kind: 'notify', victims: toNotify.map((rank) => victims[rank - 1]!) };
  if (awaitsApproval(state, control)) return { kind: 'wait', for: 'approval', until: deadlineAt };
  if (needsApproval && notifiesInOneRound(state))
    return { kind: 'append', events: abort(state, approvedRound(state.opened.enforcement)) };

  if (control.ceiling && !ceilingsLifted(state, control))
    return { kind: 'append', events: heldBack(state, control.ceiling) };

  const rejudged = judgedAgain(state, control);
  if (rejudged) return { kind: 'append', events: [rejudged] };
  if (hasUnknownQuota(state, control)) return waitForCluster(state, now, control);

  const rate = rateOf(state, now, control.limits.victimsPerSecond);
  const page = nextVictims(state, now, control, Math.max(1, rate.free));
  if (page.length === 0) {
    return { kind: 'wait', for: whatFor(state, now), until: earliestOf(state, victims, deadlineAt) };
  }
  const stopped = page.flatMap((victim) => {
    const stop = stopAt(state, victim, control);
    return stop ? [victimSparedEvent(state, victim.rank, stop)] : [];
  });
  if (stopped.length > 0) return { kind: 'append', events: stopped };
  const until = rate.until(page.length);
  if (until !== undefined) return { kind: 'wait', for: 'rate', until: earlier(until, deadlineAt) };
  return checked(state, page, now, control, ofVictims);
}

const isOfVictims = (facts: readonly VictimFacts[] | QueueFacts): facts is readonly VictimFacts[] =>
  Array.isArray(facts);

/**
 * The last step of a run whose victims all have their outcome. If the cluster does not answer, the run waits for it,
 * unless there is a reason to end at once.
 */
function finish(state: RunState, now: string, control: RunControl, facts: QueueFacts | undefined): Step {
  if (queueToCheck(state)) {
    if (!facts) return { kind: 'check-queue', max: state.opened?.max ?? {} };
    if ('unreachable' in facts && !abortReason(state, now, control))
      return waitForCluster(state, now, control);
  }
  return { kind: 'append', events: [endOfWork(state, facts)] };
}

/** The plan has grown old while the run waited for the approval. The approval counts for the rounds that follow. */
const approvedRound = (enforcement: string): Abort => ({
  outcome: 'notified',
  code: 'approved',
  message: 'The evictions are approved: the next round evicts the victims that it chooses again.',
  about: ofEnforcement(enforcement),
});

/** A run that may not order its next victims waits. A round ends instead: the next one is judged when it opens. */
function heldBack(state: RunState, ceiling: Notice): DomainEvent[] {
  if (isRound(state)) return abort(state, { outcome: 'stopped', ...ceiling });
  assert(state.planned, 'there is no plan to hold');
  const { partition, queue, enforcement } = state.planned;
  const remaining = countedVictims(state).filter(({ rank }) => !hasOutcome(state, rank)).length;
  return [{ name: 'EnforcementHeld', data: { partition, queue, enforcement, ...ceiling, remaining } }];
}
