import { chain, type Notice, type SnapshotAllocation } from '#contracts';
import { amountOf } from '../amounts.js';
import { type RunControl, stopOf } from '../run/control.js';
import type { ReachableFacts } from '../run/facts.js';
import { extendedUntil } from '../run/owner-answers.js';
import { outcomeOfVictim, type PlannedRun, type PlannedVictim, type RunState } from '../run/run-state.js';
import { besideEnforcement, elsewhere, moved, presence, protectedSince } from '../run/victim-place.js';
import { isTooLateToAsk, tooLateToAsk } from '../run/work-lost.js';
import type { LiveNeed, LivePlace } from './live-need.js';

/*
 * Victims that make room for one start go together or not at all. If one of them stays, nothing can
 * start in the place of the others, and they would be killed for nothing (docs/reference/policies/fair-share.md §12).
 */

export type PlannedStart = NonNullable<PlannedRun['plan']['starts']>[number];

/** The start that a victim makes room for; undefined where it has another cause. */
export function startOf({ planned }: RunState, { allocation }: PlannedVictim): PlannedStart | undefined {
  return planned?.plan.starts?.find(({ victims }) => victims.includes(allocation));
}

/** Those that make room for the same start, without the victim itself. */
export function matesOf(state: RunState, victim: PlannedVictim): PlannedVictim[] {
  const ids = new Set(startOf(state, victim)?.victims);
  ids.delete(victim.allocation);
  return ids.size === 0
    ? []
    : (state.planned?.plan.victims ?? []).filter(({ allocation }) => ids.has(allocation));
}

/**
 * The mates that have to be checked with the victim: all remaining ones before the first one is asked to finish, and
 * again before the first one is killed. A mate that is found unfit later stops the rest at its own turn.
 */
export function matesToCheck(state: RunState, victim: PlannedVictim): PlannedVictim[] {
  const mates = matesOf(state, victim);
  const isAsked = ({ rank }: PlannedVictim) => state.killAt.has(rank);
  const toBeAsked = (victim.gracePeriodMs ?? 0) > 0 && !isAsked(victim);
  const begun = mates.some(
    (mate) => outcomeOfVictim(state, mate.rank) === 'evicted' || (toBeAsked && isAsked(mate)),
  );
  return begun ? [] : mates.filter(({ rank }) => outcomeOfVictim(state, rank) === undefined);
}

/** Whether a mate was refused and will be retried, or has an extension: the others wait until it is settled. */
export function awaitsMate(state: RunState, victim: PlannedVictim): boolean {
  if (state.refusals.size + state.answers.size === 0) return false;
  if (state.refusals.has(victim.rank) || extendedUntil(state, victim.rank) !== undefined) return false;
  return matesOf(state, victim).some(({ rank }) => isPutOff(state, rank));
}

function isPutOff(state: RunState, rank: number): boolean {
  if (state.refusals.get(rank)?.retryAt !== undefined) return true;
  return outcomeOfVictim(state, rank) === undefined && extendedUntil(state, rank) !== undefined;
}

/**
 * Returns why the start no longer has room, even once all remaining victims of the plan on its node are gone; undefined
 * if it has room as far as is known. Others may have started in the free room, and the capacity of the node may have
 * decreased.
 */
export function roomLost(state: RunState, victim: PlannedVictim, need: LiveNeed): Notice | undefined {
  const start = startOf(state, victim);
  if (!start || !('node' in need) || need.node === undefined) return undefined;
  const why = whyNoRoom(state, start, need.node);
  if (why === undefined) return undefined;
  const message = `${start.operation} can no longer start on ${start.node} in its place: ${why}`;
  return { code: 'start-lost', message, about: { kind: 'operation', name: start.operation } };
}

function whyNoRoom(
  state: RunState,
  { node: id, resources }: PlannedStart,
  node: LivePlace | null,
): string | undefined {
  if (node === null) return 'that node is gone.';
  if (!node.schedulable) return 'that node no longer accepts work.';
  const going = (state.planned?.plan.victims ?? []).filter(
    (other) => other.node === id && outcomeOfVictim(state, other.rank) === undefined,
  );
  for (const [type, asked] of Object.entries(resources)) {
    if (asked === 0) continue;
    const given = going.reduce((sum, other) => sum + amountOf(other.resources, type), 0);
    const kept = amountOf(node.usage, type) - amountOf(node.inFlight, type) - given;
    const room = amountOf(node.capacity, type) - kept;
    if (asked > room)
      return `of ${type} ${Math.max(room, 0)} would be free there, and ${asked} is asked for.`;
  }
  return undefined;
}

/** Returns why the start is no longer possible, which spares the victim; undefined if it is possible as far as is known. */
export function startLost(
  state: RunState,
  victim: PlannedVictim,
  now: string,
  control: RunControl,
  { beside, queues }: Pick<ReachableFacts, 'beside' | 'queues'>,
): Notice | undefined {
  for (const mate of matesOf(state, victim)) {
    const why = whyItStays(state, mate, now, control, { beside, queues });
    if (why === undefined) continue;
    const { operation, node } = startOf(state, victim)!;
    return {
      code: 'start-lost',
      message: `${operation} cannot start on ${node} in its place, because ${mate.allocation} stays there: ${why}`,
      about: { kind: 'operation', name: operation },
    };
  }
  return undefined;
}

function whyItStays(
  state: RunState,
  mate: PlannedVictim,
  now: string,
  control: RunControl,
  { beside, queues }: Pick<ReachableFacts, 'beside' | 'queues'>,
): string | undefined {
  const outcome = outcomeOfVictim(state, mate.rank);
  if (outcome === 'spared') return 'it was spared.';
  if (outcome === 'failed') return 'its eviction failed.';
  if (outcome !== undefined) return undefined;
  const stop = stopOf({ partition: state.planned?.partition ?? '', queue: mate.queue }, control);
  if (stop) return stop.message;
  if (isTooLateToAsk(state, mate, now)) return tooLateToAsk(mate).message;
  const live = beside?.get(mate.rank);
  if (live === undefined || presence(mate, live) !== 'running') return undefined;
  const isKnown = chain(mate.queue).every((path) => queues.has(path));
  return (
    elsewhere(mate, live) ??
    protectedSince(mate, live) ??
    onOtherNode(mate, live) ??
    (isKnown ? besideEnforcement(mate, queues) : undefined)
  )?.message;
}

/** Where it was to free room on a node: it is on another one by now. */
export function onOtherNode(victim: PlannedVictim, live: SnapshotAllocation): Notice | undefined {
  const { node, cause } = victim;
  if (cause === undefined || cause === 'resource-limits' || node === undefined) return undefined;
  return live.node === node ? undefined : moved(victim, node, live.node ?? 'a node that is not known');
}
