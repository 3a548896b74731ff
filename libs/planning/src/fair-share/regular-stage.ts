import type { Draft } from './draft.js';
import type { NodeLabels } from './node-labels.js';
import { groupsOf } from './snapshot/groups-of.js';
import { StartQueue } from './start-queue.js';

/**
 * Step 4 of docs/policies/fair-share.md §11, simulated: node by node, what fits into free room starts. It needs nobody's room and
 * is no part of the plan, but what follows has to know of it.
 *
 * Asks of one kind wait in one queue; what does not fit on a node is not tried there again, as free room only shrinks, and what a
 * limit stops is not tried again at all, as usage only grows.
 */
export function startIntoFreeRoom(draft: Draft, labels: NodeLabels): void {
  const { snapshot } = draft.judged;
  const { asks, operations, nodes, types } = snapshot;
  const width = types.length;
  const waiting = Int32Array.from(asks.kind, (_, ask) => ask).filter(
    (ask) => operations.suspended[asks.operation[ask]!] === 0 && asks.waiting[ask]! > 0,
  );
  if (waiting.length === 0) return;
  const byKind = groupsOf(waiting, asks.kind, asks.kindCount);
  const place = new Int32Array(asks.count).fill(-1);
  const queues = Array.from({ length: asks.kindCount }, (_, kind) => {
    const items = byKind.members.subarray(byKind.first[kind]!, byKind.first[kind + 1]!);
    return new StartQueue(draft.order, items, place, (ask) => asks.operation[ask]!);
  });
  draft.follower = {
    moved(operation) {
      for (let ask = operations.firstAsk[operation]!; ask < operations.firstAsk[operation + 1]!; ask++) {
        queues[asks.kind[ask]!]!.moved(ask);
      }
    },
    relieved() {},
    regrouped() {},
  };

  const smallest = new Float64Array(width);
  const findSmallest = (): void => {
    smallest.fill(Number.POSITIVE_INFINITY);
    for (let kind = 0; kind < asks.kindCount; kind++) {
      if (queues[kind]!.isEmpty) continue;
      for (let type = 0; type < width; type++) {
        smallest[type] = Math.min(smallest[type]!, asks.size[kind * width + type]!);
      }
    }
  };
  const fits = (kind: number, node: number): boolean => {
    for (let type = 0; type < width; type++) {
      const asked = asks.size[kind * width + type]!;
      if (asked > 0 && asked > draft.free[node * width + type]!) return false;
    }
    return true;
  };
  /** The first of a kind that its limits do not stop; -1 = none. */
  const firstOf = (kind: number): number => {
    const queue = queues[kind]!;
    while (!queue.isEmpty && !draft.limitsAllow(queue.top)) queue.remove(queue.top);
    return queue.isEmpty ? -1 : queue.top;
  };
  const isBefore = (a: number, b: number): boolean => {
    const left = asks.operation[a]!;
    const right = asks.operation[b]!;
    return left === right ? a < b : draft.order.isBefore(left, right);
  };

  findSmallest();
  const open: number[] = [];
  for (let node = 0; node < nodes.count; node++) {
    // Where not even the least of every type fits, nothing does.
    let hopeless = false;
    for (let type = 0; type < width; type++) {
      if (smallest[type]! > 0 && smallest[type]! > draft.free[node * width + type]!) hopeless = true;
    }
    if (hopeless) continue;
    open.length = 0;
    for (let kind = 0; kind < asks.kindCount; kind++) {
      if (!queues[kind]!.isEmpty && fits(kind, node) && labels.matching(kind)[node] === 1) open.push(kind);
    }
    let emptied = false;
    while (open.length > 0) {
      let first = -1;
      let kept = 0;
      for (const kind of open) {
        if (!fits(kind, node)) continue;
        const ask = firstOf(kind);
        if (ask < 0) {
          emptied = true;
          continue;
        }
        open[kept++] = kind;
        if (first < 0 || isBefore(ask, first)) first = ask;
      }
      open.length = kept;
      if (first < 0) break;
      draft.start(first, node);
      if (draft.waiting[first]! > 0) continue;
      queues[asks.kind[first]!]!.remove(first);
      emptied = true;
    }
    if (emptied) findSmallest();
  }
}
