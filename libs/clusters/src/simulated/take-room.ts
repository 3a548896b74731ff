import type { Resources, SnapshotNode } from '#contracts';

/** Tracks the free room of nodes while work is placed on them. */
export class NodeRoom {
  private readonly free: { id: string; amounts: Record<string, number> }[];

  constructor(nodes: readonly SnapshotNode[]) {
    this.free = nodes.map(({ id, capacity }) => ({ id, amounts: { ...capacity } }));
  }

  /** Places work on a node even if it has no room, which overcommits the node. False if there is no such node. */
  force(id: string, resources: Resources): boolean {
    const node = this.free.find((each) => each.id === id);
    if (!node) return false;
    for (const [type, amount] of Object.entries(resources))
      node.amounts[type] = (node.amounts[type] ?? 0) - amount;
    return true;
  }

  /** The node with the most free memory that has room, the first of equals; undefined if none has. */
  take(resources: Resources): string | undefined {
    const fits = this.free.filter(({ amounts }) =>
      Object.entries(resources).every(([type, amount]) => (amounts[type] ?? 0) >= amount),
    );
    const [first, ...others] = fits;
    if (!first) return undefined;
    const best = others.reduce(
      (most, node) => ((node.amounts.memory ?? 0) > (most.amounts.memory ?? 0) ? node : most),
      first,
    );
    for (const [type, amount] of Object.entries(resources))
      best.amounts[type] = (best.amounts[type] ?? 0) - amount;
    return best.id;
  }
}
