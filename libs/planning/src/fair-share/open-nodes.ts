import type { Draft } from './draft.js';
import { isInBackOff } from './overcommit-step.js';

/** The nodes where no one had to go in this plan, and that are schedulable and in no back-off. */
export class OpenNodes {
  /** 1 for each of them. */
  readonly isOpen: Uint8Array;
  /** The first `count` entries are these nodes, in their order. */
  readonly list: Int32Array;
  count: number;

  constructor(draft: Draft) {
    this.isOpen = draft.judged.snapshot.nodes.schedulable.map((schedulable, node) =>
      schedulable === 1 && draft.used[node] === 0 && !isInBackOff(draft, node) ? 1 : 0,
    );
    this.list = Int32Array.from(this.isOpen, (_, node) => node).filter((node) => this.isOpen[node] === 1);
    this.count = this.list.length;
  }

  /** To be called when an allocation had to go on a node. */
  close(node: number): void {
    this.isOpen[node] = 0;
    const at = this.list.indexOf(node);
    this.list.copyWithin(at, at + 1, this.count--);
  }
}
