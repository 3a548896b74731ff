import { amountsOfLimit, type DomainEvent, type Limit, ofQueue, type Resources } from '#contracts';
import { amountOf, limitInWords, sameAmounts, sameLimit } from '../amounts.js';
import type { Abort } from './abort-reason.js';
import type { RunControl } from './control.js';
import type { ReachableFacts } from './facts.js';
import type { RunState } from './run-state.js';
import { followsCluster, isRound } from './state.js';
import { noLongerNeeded } from './tally.js';
import { isAbove } from './victim-checks.js';
import { liveQueue } from './victim-place.js';

/*
 * A run that waited for an approval, a resume or a silent scheduler was planned for a quota that may no longer be in
 * force. Until its first order it is judged by the quota in force where that allows more; a quota that allows less has
 * a delay of its own to serve. After its first order the quota that it began with counts
 * (docs/reference/policies/quota-decrease.md §3.5).
 *
 * A quota that is a share of the cluster allows more when nodes are added, before the first order and after it. Removed
 * nodes lower no quota: it never allows less than the amounts in the plan.
 */

/** The event that replaces the max of the run; undefined: nothing changed, or the size of the cluster is not known. */
export function judgedAgain(state: RunState, control: RunControl): DomainEvent | undefined {
  const { opened, planned, begun, fired } = state;
  if (!opened || !planned || !mayBeJudgedAgain(state)) return undefined;
  const inForce = limitBeside(state, control);
  const max = allowed(state, control);
  if (max === undefined || sameAmounts(opened.max, max)) return undefined;
  const { partition, queue, enforcement } = planned;
  const isOther = inForce !== undefined && !sameLimit(fired, inForce);
  const message =
    begun || !isOther
      ? `${queue}: nodes came or went. Enforcement ${enforcement} leaves the queue ${limitInWords({ max })} by its quota, ` +
        `${limitInWords({ ...(inForce ?? fired), max: null })}; before, that was ${limitInWords({ max: opened.max })}.`
      : `${queue}: the quota changed from ${limitInWords({ ...fired, max: opened.max })} to ${inWordsNow(inForce, control)} before ` +
        `enforcement ${enforcement} evicted anything; only what the new quota needs is evicted.`;
  const hasShare = fired.maxShare !== undefined || inForce?.maxShare !== undefined;
  return {
    name: 'EnforcementRejudged',
    data: {
      partition,
      queue,
      enforcement,
      previous: opened.max,
      max,
      ...(hasShare && inForce && { inForce: limitOf(inForce) }),
      notices: [
        { code: isOther && !begun ? 'quota-changed' : 'cluster-changed', message, about: ofQueue(queue) },
      ],
    },
  };
}

/** Whether the run has to wait because the amounts of the share that it is judged by are not known. */
export function hasUnknownQuota(state: RunState, control: RunControl): boolean {
  return mayBeJudgedAgain(state) && allowed(state, control) === undefined;
}

function mayBeJudgedAgain(state: RunState): boolean {
  const { planned, begun } = state;
  return !isRound(state) && planned?.trigger.target === undefined && (!begun || followsCluster(state));
}

/**
 * The limit that counts beside that of the plan: the limit in force; after the first order, the limit in force at that
 * order.
 */
function limitBeside({ begun, judgedBy }: RunState, { inForce }: RunControl): Limit | undefined {
  return begun ? judgedBy : inForce;
}

/** The largest of the max in the plan, the current amounts of its share, and the max in force; undefined: not known. */
function allowed(state: RunState, control: RunControl): Resources | null | undefined {
  const { fired } = state;
  const inForce = limitBeside(state, control);
  const now = [fired, ...(inForce ? [inForce] : [])].map((limit) =>
    amountsOfLimit(limit, control.clusterSize),
  );
  return now.reduce(
    (most, max) => (most === undefined || max === undefined ? undefined : larger(most, max)),
    fired.max as Resources | null | undefined,
  );
}

/** Returns why a run that was judged again evicts nothing: its queue is within the quota in force; undefined: it is not. */
export function notNeededAnyMore(state: RunState, { queues }: ReachableFacts): Abort | undefined {
  const { opened, planned, begun, rejudged } = state;
  if (!opened || !planned || begun || !rejudged) return undefined;
  const queue = liveQueue(queues, planned.queue);
  if (Object.keys(planned.plan.target).some((type) => isAbove(queue, opened.max, type))) return undefined;
  const message = `${planned.queue} is within the quota in force, ${limitInWords({ max: opened.max })}.`;
  return { outcome: 'not-needed', code: noLongerNeeded, message, about: ofQueue(planned.queue) };
}

/** Of each type that both limit the larger limit; a type that one of them does not limit has none. */
function larger(a: Resources | null, b: Resources | null): Resources | null {
  if (a === null || b === null) return null;
  const types = Object.keys(a).filter((type) => Object.hasOwn(b, type));
  return Object.fromEntries(types.map((type) => [type, Math.max(amountOf(a, type), amountOf(b, type))]));
}

const limitOf = ({ max, maxShare }: Limit): Limit => ({ max, ...(maxShare !== undefined && { maxShare }) });

const inWordsNow = (limit: Limit, { clusterSize }: RunControl): string =>
  limitInWords({ ...limit, max: amountsOfLimit(limit, clusterSize) ?? null });
