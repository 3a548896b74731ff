import { chain, type Notice, ofQueue, type Resources, type SnapshotAllocation } from '#contracts';
import { amountOf } from '../amounts.js';
import type { LiveQueue } from './control.js';
import type { ReachableFacts } from './facts.js';
import { assert, type PlannedVictim, type RunState, targetTypes } from './run-state.js';
import { isRound } from './state.js';
import { noLongerNeeded } from './tally.js';
import { besideEnforcement, elsewhere, liveQueue, protectedSince } from './victim-place.js';

/**
 * Returns why a victim that still runs is spared after all, or undefined if it may be killed: it has moved, it was
 * protected, it is no longer needed, or a queue of its chain would fall below its guaranteed amount.
 * docs/reference/policies/quota-decrease.md §6.1, with the current amounts.
 *
 * @param isNeeded whether it is known to be needed: with its unit. Otherwise that is checked.
 */
export function spareReason(
  state: RunState,
  victim: PlannedVictim,
  live: SnapshotAllocation,
  { queues }: Pick<ReachableFacts, 'queues'>,
  isNeeded: boolean,
): Notice | undefined {
  const unfit = elsewhere(victim, live) ?? protectedSince(victim, live);
  if (unfit) return unfit;
  if (isRound(state)) return besideEnforcement(victim, queues);
  const need = isNeeded ? undefined : notNeeded(state, live.resources, queues);
  return need ?? belowFloor(victim, live.resources, queues, checkedTypes(state));
}

/**
 * A victim is needed while the queue exceeds the max that the run is judged by in some target type that the victim
 * uses. Where the trigger named the target itself, the max plays no part: the amounts freed so far are compared with
 * that target.
 */
export function notNeeded(
  state: RunState,
  amounts: Resources,
  queues: ReadonlyMap<string, LiveQueue>,
): Notice | undefined {
  const { planned, opened, freed } = state;
  assert(planned && opened, 'the run is not open');
  const types = targetTypes(state, amounts);
  if (planned.trigger.target !== undefined) {
    const target = planned.plan.target;
    if (types.some((type) => amountOf(freed, type) < amountOf(target, type))) return undefined;
    return {
      code: noLongerNeeded,
      message: 'The victims before it have freed the target amount of each type that it uses.',
      about: ofQueue(planned.queue),
    };
  }
  const queue = liveQueue(queues, planned.queue);
  if (types.some((type) => isAbove(queue, opened.max, type))) return undefined;
  return {
    code: noLongerNeeded,
    message: `${planned.queue} has come down to its quota in each type that it uses.`,
    about: ofQueue(planned.queue),
  };
}

/** Whether the usage of a type, without leaving allocations, exceeds its limit; a type without a limit never does. */
export function isAbove(queue: LiveQueue, max: Resources | null, type: string): boolean {
  return max !== null && Object.hasOwn(max, type) && used(queue, type) > amountOf(max, type);
}

/** The types whose guaranteed amounts keep work, by the setting of the plan; undefined: all. */
const checkedTypes = ({ planned }: RunState): readonly string[] | undefined =>
  planned?.settings.guaranteedTypes === 'lowered' ? Object.keys(planned.plan.target) : undefined;

function belowFloor(
  victim: PlannedVictim,
  amounts: Resources,
  queues: ReadonlyMap<string, LiveQueue>,
  checked: readonly string[] | undefined,
) {
  for (const path of chain(victim.queue)) {
    const queue = liveQueue(queues, path);
    const guaranteed = queue.guaranteed ?? {};
    for (const type of Object.keys(guaranteed)) {
      const amount = amountOf(amounts, type);
      const left = used(queue, type) - amount;
      if (amount === 0 || left >= amountOf(guaranteed, type)) continue;
      if (checked && !checked.includes(type)) continue;
      const floor = amountOf(guaranteed, type);
      const isBelow = used(queue, type) < floor;
      const message = isBelow
        ? `${path} uses ${type} ${used(queue, type)}, already below its guaranteed ${floor}.`
        : `${path} would fall to ${type} ${Math.max(left, 0)}, below its guaranteed ${floor}.`;
      return { code: 'guaranteed-floor', message, about: ofQueue(path) };
    }
  }
  return undefined;
}

function used(queue: LiveQueue, type: string): number {
  return (
    amountOf(queue.usage, type) - amountOf(queue.inFlight, type) - amountOf(queue.notYetLeaving ?? {}, type)
  );
}
