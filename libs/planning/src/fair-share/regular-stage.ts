import type { Draft } from './draft.js';
import { KindHeap } from './kind-heap.js';
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
  const satisfaction = new Float64Array(asks.count);
  const queues = Array.from({ length: asks.kindCount }, (_, kind) => {
    const items = byKind.members.subarray(byKind.first[kind]!, byKind.first[kind + 1]!);
    return new StartQueue(draft.order, items, place, satisfaction, (ask) => asks.operation[ask]!);
  });
  const open = new KindHeap(draft.order, queues, asks.operation);
  draft.follower = {
    moved(operation) {
      for (let ask = operations.firstAsk[operation]!; ask < operations.firstAsk[operation + 1]!; ask++) {
        const kind = asks.kind[ask]!;
        queues[kind]!.moved(ask);
        open.moved(kind);
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
  findSmallest();
  for (let node = 0; node < nodes.count; node++) {
    // Where not even the least of every type fits, nothing does.
    let hopeless = false;
    for (let type = 0; type < width; type++) {
      if (smallest[type]! > 0 && smallest[type]! > draft.free[node * width + type]!) hopeless = true;
    }
    if (hopeless) continue;
    open.clear();
    for (let kind = 0; kind < asks.kindCount; kind++) {
      if (fits(kind, node) && !queues[kind]!.isEmpty && labels.matching(kind)[node] === 1) open.add(kind);
    }
    open.arrange();
    let emptied = false;
    while (!open.isEmpty) {
      const kind = open.top;
      const queue = queues[kind]!;
      if (!fits(kind, node)) {
        open.remove(kind);
        continue;
      }
      const ask = queue.top;
      const starts = draft.limitsAllow(ask);
      if (starts) draft.start(ask, node);
      if (starts && draft.waiting[ask]! > 0) continue;
      queue.remove(ask);
      if (queue.isEmpty) {
        open.remove(kind);
        emptied = true;
      } else open.moved(kind);
    }
    if (emptied) findSmallest();
  }
}
