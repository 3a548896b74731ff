import { groupsOf } from '../groups-of.js';
import type { Draft } from './draft.js';
import { KindTree } from './kind-tree.js';
import type { NodeLabels } from './node-sets.js';
import { StartQueue } from './start-queue.js';

/**
 * Step 4 of docs/reference/policies/fair-share.md §11, simulated: node by node, what fits into free room starts. It needs no one's room and
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
  const open = new KindTree(draft.order, queues, asks.size, width, asks.operation);
  draft.follower = {
    moved(operation) {
      for (let ask = operations.firstAsk[operation]!; ask < operations.firstAsk[operation + 1]!; ask++) {
        const kind = asks.kind[ask]!;
        queues[kind]!.moved(ask);
        open.changed(kind);
      }
    },
    regrouped() {},
  };
  for (let node = 0; node < nodes.count; node++) {
    const allows = (kind: number): boolean => labels.matching(kind)[node] === 1;
    const place = { free: draft.free, row: node * width, allows };
    for (let kind = open.firstIn(place); kind >= 0; kind = open.firstIn(place)) {
      const ask = queues[kind]!.top;
      const starts = draft.limitsAllow(ask);
      if (starts) draft.start(ask, node);
      if (starts && draft.waiting[ask]! > 0) continue;
      queues[kind]!.remove(ask);
      open.changed(kind);
    }
  }
}
