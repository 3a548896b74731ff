import { ORIGINATOR, PLACEHOLDER, type Snapshot } from '../snapshot/columns.js';
import type { AmountTexts } from './amount-text.js';
import type { Candidates } from './candidates.js';
import type { LeafOrders } from './leaf-orders.js';
import { decidingRule, type Rule } from './order.js';
import type { Target } from './target.js';

const RULE_TEXTS: Record<Rule, string> = {
  types: 'its types are closer to the target than those of the next one',
  0: 'placeholders go first (rule 0)',
  1: 'it goes before originators (rule 1)',
  2: 'lower priority goes first (rule 2)',
  3: 'those that allow preemption go before those that opted out (rule 3)',
  node: 'its node is cleared before others',
  4: 'younger goes first (rule 4)',
  5: 'equal to the next one but for the smaller id (rule 5)',
};

/** Says of each victim why it and not another: its place in the order, the rule that put it there, what it gives. */
export class Reasons {
  private readonly place: Int32Array;
  private readonly ofLeaf = new Map<number, { among: string; towards: string }>();

  /**
   * @param shareOf what falls to a leaf, by place in the target; null for a plan of one leaf.
   */
  constructor(
    private readonly snapshot: Snapshot,
    private readonly target: Target,
    private readonly candidates: Candidates,
    private readonly orders: LeafOrders,
    private readonly texts: AmountTexts,
    private readonly shareOf: ((leaf: number) => Float64Array) | null,
  ) {
    this.place = new Int32Array(snapshot.allocations.count);
    for (let i = 0; i < candidates.list.length; i++) this.place[candidates.list[i]!] = i;
  }

  of(victim: number): string {
    const { queue, startedAtTexts } = this.snapshot.allocations;
    const leaf = queue[victim]!;
    const at = this.place[victim]!;
    const isLast = at + 1 === this.candidates.last[leaf]!;
    const rule = isLast
      ? 'it is the last one'
      : RULE_TEXTS[decidingRule(this.orders.keys, victim, this.candidates.list[at + 1]!)];
    const { among, towards } = this.textsOfLeaf(leaf);
    const number = at - this.candidates.first[leaf]! + 1;
    return `Candidate ${number}${among}${this.kind(victim)}, started ${startedAtTexts[victim]!}: ${rule}; it gives ${this.gives(victim)}${towards}`;
  }

  private kind(victim: number): string {
    const { role, priority, optedOut } = this.snapshot.allocations;
    const name =
      role[victim] === PLACEHOLDER ? 'placeholder' : role[victim] === ORIGINATOR ? 'originator' : 'task';
    return `${name} of priority ${priority[victim]!}${optedOut[victim] === 1 ? ' that opted out of preemption' : ''}`;
  }

  private gives(victim: number): string {
    const { firstEntry, entryType, entryAmount } = this.snapshot.allocations;
    let text = '';
    for (let e = firstEntry[victim]!; e < firstEntry[victim + 1]!; e++) {
      const place = this.target.placeOfType[entryType[e]!]!;
      if (place < 0) continue;
      const amount = this.texts.of(this.target.names[place]!, entryAmount[e]!);
      text = text === '' ? amount : `${text} and ${amount}`;
    }
    return text;
  }

  private textsOfLeaf(leaf: number): { among: string; towards: string } {
    let texts = this.ofLeaf.get(leaf);
    if (texts === undefined) {
      const { first, last } = this.candidates;
      texts = {
        among: ` of ${last[leaf]! - first[leaf]!} in ${this.snapshot.queues.paths[leaf]!}, a `,
        towards: this.towards(leaf),
      };
      this.ofLeaf.set(leaf, texts);
    }
    return texts;
  }

  private towards(leaf: number): string {
    const { names, amounts } = this.target;
    if (this.shareOf === null) return ` of the ${this.texts.list(names, amounts)} to be freed.`;
    const share = this.shareOf(leaf);
    return share.some((amount) => amount > 0)
      ? ` of the ${this.texts.list(names, share)} that fall to this queue.`
      : ' in place of queues that cannot give their part.';
  }
}
