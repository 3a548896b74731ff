import type { FairShareSnapshot } from './snapshot/columns.js';
import { hasLabels } from './snapshot/labels.js';

/** Which nodes asks of a kind may start on by their labels; worked out for each set of labels once, when it is first asked. */
export class NodeLabels {
  private readonly known = new Map<string, Uint8Array>();
  private readonly ofKind: (Uint8Array | undefined)[] = [];

  constructor(private readonly snapshot: FairShareSnapshot) {}

  /** 1 for each node that is schedulable and has the labels. */
  matching(kind: number): Uint8Array {
    const found = this.ofKind[kind];
    if (found !== undefined) return found;
    const { nodes, asks } = this.snapshot;
    const labels = asks.labels[kind]!;
    const key = JSON.stringify(labels);
    let matching = this.known.get(key);
    if (matching === undefined) {
      matching = nodes.schedulable.map((schedulable, node) =>
        schedulable === 1 && hasLabels(nodes.labels[node]!, labels) ? 1 : 0,
      );
      this.known.set(key, matching);
    }
    this.ofKind[kind] = matching;
    return matching;
  }
}
