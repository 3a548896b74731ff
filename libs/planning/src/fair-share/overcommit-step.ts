import { SetChoice } from './choose-set.js';
import type { Draft } from './draft.js';
import { AGGRESSIVE, PLAIN, SAFE } from './groups.js';
import { PROTECTED, SPARED_AS_DAEMON, sparedBecause } from './spared.js';

/** By how much more runs on a node than it has, 0 where it fits. */
export function overCapacity(draft: Draft, node: number, type: number): number {
  const free = draft.free[node * draft.judged.snapshot.types.length + type]!;
  return free < 0 && free !== Number.NEGATIVE_INFINITY ? -free : 0;
}

export function isOvercommitted(draft: Draft, node: number): boolean {
  return draft.judged.snapshot.types.some((_, type) => overCapacity(draft, node, type) > 0);
}

/** Whether a node was used for preemption so lately that it is spared: docs/reference/policies/fair-share.md §3. */
export function isInBackOff({ judged: { snapshot, settings } }: Draft, node: number): boolean {
  // Never used is NaN, which is in no back-off.
  const elapsed = snapshot.takenAt - snapshot.nodes.lastPreemptiveSchedulingAt[node]!;
  return elapsed <= settings.preemptiveSchedulingBackoff;
}

/** Whether a node has been overcommitted for longer than is allowed, so that none on it is safe any more. */
export function isOvercommittedTooLong({ judged: { snapshot, settings } }: Draft, node: number): boolean {
  const elapsed = snapshot.takenAt - snapshot.nodes.overcommittedSince[node]!;
  return elapsed > settings.allowedNodeResourcesOvercommitDuration;
}

/** Step 3 of docs/reference/policies/fair-share.md §11: what runs on a node has to fit. */
export function takeForOvercommit(draft: Draft, kept: Uint8Array): void {
  const { nodes, allocations, types } = draft.judged.snapshot;
  const choice = new SetChoice(types.length, allocations.size);
  const missing = new Float64Array(types.length);
  for (let node = 0; node < nodes.count; node++) {
    if (!isOvercommitted(draft, node)) continue;
    if (!isInBackOff(draft, node)) {
      for (let type = 0; type < types.length; type++) missing[type] = overCapacity(draft, node, type);
      const plain = runningOn(draft, node).filter((a) => {
        return draft.groups.of(a) === PLAIN && sparedBecause(draft, kept, a, -1, false) === 'not-needed';
      });
      const walk = [0, 1].flatMap((optedOut) => plain.filter((a) => allocations.optedOut[a] === optedOut));
      choice.begin(missing);
      for (const a of walk) if (!choice.isDone) choice.offer(a);
      choice.end();
      // Those that were found go, even where it is not enough.
      for (const allocation of choice.chosen()) draft.take(allocation, 'overcommit', -1, PLAIN);
    }
    if (isOvercommitted(draft, node) && isOvercommittedTooLong(draft, node)) {
      takeUnfitting(draft, kept, node);
    }
  }
}

/** Newest first. */
function runningOn(draft: Draft, node: number): number[] {
  const { firstAllocation, byNode } = draft.judged.snapshot.nodes;
  const all = byNode.subarray(firstAllocation[node]!, firstAllocation[node + 1]!);
  return Array.from(all).filter((a) => draft.gone[a] === 0);
}

/** The order in which they may stay; a hint counts inside a group only. */
const STAYING = [SAFE, AGGRESSIVE, PLAIN].flatMap((group) => [
  { group, optedOut: 1 },
  { group, optedOut: 0 },
]);

/** Step 3b: daemons and protected ones stay; of the others stay, safest and oldest first, those that fit beside them. */
function takeUnfitting(draft: Draft, kept: Uint8Array, node: number): void {
  const { nodes, allocations, types } = draft.judged.snapshot;
  const width = types.length;
  const running = runningOn(draft, node).reverse();
  const room = new Float64Array(width);
  for (let type = 0; type < width; type++) {
    const capacity = nodes.capacity[node * width + type]!;
    room[type] = capacity < 0 ? Number.POSITIVE_INFINITY : capacity;
  }
  const keep = (a: number): void => {
    for (let type = 0; type < width; type++) room[type]! -= allocations.size[a * width + type]!;
  };
  const fits = (a: number): boolean =>
    types.every((_, type) => {
      const amount = allocations.size[a * width + type]!;
      return amount === 0 || amount <= room[type]!;
    });
  const stays = (a: number): boolean => kept[a] === SPARED_AS_DAEMON || kept[a] === PROTECTED;
  running.filter(stays).forEach(keep);
  const others = running.filter((a) => !stays(a));
  const inOrder = STAYING.flatMap(({ group, optedOut }) =>
    others.filter((a) => draft.groups.of(a) === group && allocations.optedOut[a] === optedOut),
  );
  const leaving = inOrder.filter((a) => {
    if (!fits(a)) return true;
    keep(a);
    return false;
  });
  const inTurn = leaving.reverse().map((a) => ({ a, group: draft.groups.of(a) }));
  for (const { a, group } of inTurn) draft.take(a, 'overcommit', -1, group);
}
