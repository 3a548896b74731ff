import { chain, type Notice, ofQueue, type Resources, type SnapshotAllocation } from '@curtail/contracts';
import { amountOf } from '../amounts.js';
import type { LiveQueue } from './control.js';
import type { ReachableFacts } from './facts.js';
import { assert, isRound, type PlannedVictim, type RunState, targetTypes } from './state.js';
import { noLongerNeeded } from './tally.js';
import { ofVictim } from './victim-events.js';

export type Presence = 'running' | 'leaving' | 'gone' | 'other-incarnation';

/** Whether the allocation that was planned is still there. Without a planned uid the id is enough. */
export function presence(victim: PlannedVictim, live: SnapshotAllocation | undefined): Presence {
  if (live === undefined) return 'gone';
  if (victim.uid !== undefined && live.uid !== victim.uid) return 'other-incarnation';
  return (live.state ?? 'running') === 'running' ? 'running' : 'leaving';
}

/**
 * Returns why a victim that still runs is spared after all, or undefined if it may be killed: it has moved, it is no
 * longer needed, or a queue of its chain would fall below its guaranteed amount.
 * docs/reference/policies/quota-decrease.md §6.1, with the current amounts.
 */
export function spareReason(
  state: RunState,
  victim: PlannedVictim,
  live: SnapshotAllocation,
  { queues }: Pick<ReachableFacts, 'queues'>,
): Notice | undefined {
  const moved = elsewhere(victim, live);
  if (moved) return moved;
  if (isRound(state)) return besideEnforcement(victim, queues);
  return notNeeded(state, live.resources, queues) ?? belowFloor(victim, live.resources, queues);
}

/** It is in another queue by now; or, where it was to free room on a node, on another node. */
export function elsewhere(victim: PlannedVictim, live: SnapshotAllocation): Notice | undefined {
  const { queue, node, cause } = victim;
  const moved = (from: string, to: string) => ({
    code: 'moved',
    message: `It has moved from ${from} to ${to}.`,
    about: ofVictim(victim),
  });
  if (live.queue !== queue) return moved(queue, live.queue);
  if (cause === undefined || cause === 'resource-limits' || node === undefined) return undefined;
  return live.node === node ? undefined : moved(node, live.node ?? 'a node that is not known');
}

/**
 * A round does not interfere with a quota that is being enforced. Its room stays in the queue, so guaranteed amounts
 * play no part.
 */
export function besideEnforcement(victim: PlannedVictim, queues: ReadonlyMap<string, LiveQueue>) {
  const path = chain(victim.queue).find((queue) => liveQueue(queues, queue).enforcing);
  if (path === undefined) return undefined;
  const message = `The quota of ${path} is being enforced; a later round decides again.`;
  return { code: 'enforcing', message, about: ofQueue(path) };
}

/**
 * A victim is needed while the queue exceeds the max that the run is judged by in some target type that the victim
 * uses. Where the trigger named the target itself, the max plays no part: the amounts freed so far are compared with
 * that target.
 */
function notNeeded(state: RunState, amounts: Resources, queues: ReadonlyMap<string, LiveQueue>) {
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

function belowFloor(victim: PlannedVictim, amounts: Resources, queues: ReadonlyMap<string, LiveQueue>) {
  for (const path of chain(victim.queue)) {
    const queue = liveQueue(queues, path);
    const guaranteed = queue.guaranteed ?? {};
    for (const type of Object.keys(guaranteed)) {
      const amount = amountOf(amounts, type);
      const left = used(queue, type) - amount;
      if (amount === 0 || left >= amountOf(guaranteed, type)) continue;
      const message =
        `${path} would fall to ${type} ${Math.max(left, 0)}, ` +
        `below its guaranteed ${amountOf(guaranteed, type)}.`;
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

export function liveQueue(queues: ReadonlyMap<string, LiveQueue>, path: string): LiveQueue {
  const queue = queues.get(path);
  assert(queue, `the usage of ${path} was asked for and is missing`);
  return queue;
}
