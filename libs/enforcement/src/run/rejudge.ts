import type { DomainEvent, Resources } from '@curtail/contracts';
import { amountOf, inWords, limitsNothing, sameLimits } from '../amounts.js';
import type { Abort, RunControl } from './control.js';
import type { ReachableFacts } from './facts.js';
import { isRound, noLongerNeeded, type RunState } from './state.js';
import { isAbove, liveQueue } from './victim-checks.js';

/*
 * A run that waited, for an approval, a resume or a silent scheduler, was planned for a quota that may not be in force any more.
 * Until its first order it is judged by the quota in force where that allows more; one that allows less has a delay of its own to
 * serve. After its first order the quota that it began with counts (docs/policies/quota-decrease.md §3.5).
 */

/** The event that takes over the max in force, where it is another one; undefined: nothing changed, or the run has begun. */
export function judgedAgain(state: RunState, { inForce }: RunControl): DomainEvent | undefined {
  const { opened, planned, begun, firedMax } = state;
  if (!opened || !planned || begun || isRound(state) || planned.trigger.target !== undefined)
    return undefined;
  if (inForce.max === undefined) return undefined;
  const max = larger(firedMax, inForce.max);
  if (sameLimits(opened.max, max)) return undefined;
  const { partition, queue, enforcement } = planned;
  const message =
    `${queue}: the quota changed from ${limit(opened.max)} to ${limit(inForce.max)} before enforcement ${enforcement} ` +
    'evicted anything; only what the new quota needs is evicted.';
  return {
    name: 'ExecutionRejudged',
    data: {
      partition,
      queue,
      enforcement,
      previous: opened.max,
      max,
      notices: [{ code: 'quota-changed', message }],
    },
  };
}

/** Why a run that was judged again evicts nothing: its queue is within the quota in force; undefined: it is not. */
export function notNeededAnyMore(state: RunState, { queues }: ReachableFacts): Abort | undefined {
  const { opened, planned, begun, rejudged } = state;
  if (!opened || !planned || begun || !rejudged) return undefined;
  const queue = liveQueue(queues, planned.queue);
  if (Object.keys(planned.plan.target).some((type) => isAbove(queue, opened.max, type))) return undefined;
  const message = `${planned.queue} is within the quota in force, ${limit(opened.max)}.`;
  return { outcome: 'not-needed', code: noLongerNeeded, message };
}

/** Of each type that both limit the larger limit; a type that one of them does not limit has none. */
function larger(a: Resources | null, b: Resources | null): Resources | null {
  if (a === null || b === null) return null;
  const types = Object.keys(a).filter((type) => Object.hasOwn(b, type));
  return Object.fromEntries(types.map((type) => [type, Math.max(amountOf(a, type), amountOf(b, type))]));
}

const limit = (max: Parameters<typeof limitsNothing>[0]): string =>
  limitsNothing(max) ? 'no limit' : inWords(max);
