import type { DecidingRules } from '../deciding-rules.js';
import type { QueueSnapshot } from '../snapshot/by-queue.js';
import { ORIGINATOR, PLACEHOLDER } from '../snapshot/columns.js';
import { type AmountTexts, numberText } from '../writing/texts.js';
import type { Candidates } from './candidates.js';
import type { LeafOrders } from './leaf-orders.js';
import { decidingRule, type Rule } from './order.js';
import { type QuotaDecreaseRule, quotaDecreaseRules, type ReachedFacts } from './short-reason.js';
import type { Target } from './target.js';

const RULES: Record<Rule | 'saved' | 'last', QuotaDecreaseRule> = {
  types: 'types',
  0: 'placeholder',
  1: 'originator',
  2: 'priority',
  3: 'opted-out',
  node: 'node',
  4: 'younger',
  saved: 'less-lost',
  5: 'id',
  last: 'last',
};

/** The text for a victim that goes with its gang. */
export interface GangTexts {
  /** The member that the order reached, and why the others go with it. */
  of(victim: number): { readonly reached: number; readonly text: string } | null;
}

/**
 * States for each victim why it and not another: its number in the order of its leaf, what it is, the rule that put it before
 * the next one, what it gives. Put together from few and shared pieces, because a plan may have a hundred thousand of them.
 */
export class Reasons {
  private readonly place: Int32Array;
  /** By rule and size: the end of a reason but for what is of the leaf. */
  private readonly endsOfRule = new Map<QuotaDecreaseRule, string[]>();
  private readonly towards = new Map<number, string>();
  private readonly kind = { leaf: -1, kind: -1, priority: 0, text: '' };
  /** By size: the end of the last reason of a victim of this size, and of which leaf and rule it is. */
  private readonly end: { text: string[]; leaf: Int32Array; rule: QuotaDecreaseRule[] };

  /**
   * @param shareOf what falls to a leaf, by place in the target; null for a plan of one leaf.
   * @param gangs of the victims that go with their gang; null without victim care.
   * @param rules get the rule of each victim that `of` is called with.
   */
  constructor(
    private readonly snapshot: QueueSnapshot,
    private readonly target: Target,
    private readonly candidates: Candidates,
    private readonly orders: LeafOrders,
    private readonly texts: AmountTexts,
    private readonly shareOf: ((leaf: number) => Float64Array) | null,
    private readonly gangs: GangTexts | null,
    private readonly rules?: DecidingRules,
  ) {
    this.place = new Int32Array(snapshot.allocations.count);
    for (let i = 0; i < candidates.list.length; i++) this.place[candidates.list[i]!] = i;
    this.end = { text: [], leaf: new Int32Array(snapshot.allocations.sizeCount).fill(-1), rule: [] };
  }

  of(victim: number): string {
    const gang = this.gangs?.of(victim) ?? null;
    if (gang === null) return this.ofReached(victim);
    if (gang.reached === victim) return `${this.ofReached(victim)} ${gang.text}.`;
    const { ids, queue, size } = this.snapshot.allocations;
    this.rules?.add('gang', { reached: ids[gang.reached]!, because: gang.text });
    const gives = this.givesText(size[victim]!);
    return `Goes with ${ids[gang.reached]}: ${gang.text}; it gives ${gives}${this.towardsOf(queue[victim]!)}`;
  }

  /** Of a victim that the order reached. */
  private ofReached(victim: number): string {
    const { queue, startedAt, checkpointedAt } = this.snapshot.allocations;
    const leaf = queue[victim]!;
    const at = this.place[victim]!;
    const isLast = at + 1 === this.candidates.last[leaf]!;
    const decided = isLast
      ? 'last'
      : decidingRule(this.snapshot, this.orders.keys, victim, this.candidates.list[at + 1]!);
    const place = at - this.candidates.first[leaf]! + 1;
    const number = numberText(place);
    const kind = this.kindOf(leaf, victim);
    const countsFrom = this.orders.keys.startedAt;
    const rule = RULES[countsFrom !== startedAt && decided === 4 ? 'saved' : decided];
    if (this.rules !== undefined) this.rules.add(rule, this.factsOf(leaf, victim, place));
    const end = this.endOf(rule, leaf, victim);
    if (countsFrom[victim] === startedAt[victim]) return number + kind + this.startText(victim) + end;
    return `${number}${kind}${this.startText(victim)}, checkpoint of ${checkpointedAt[victim]}${end}`;
  }

  private factsOf(leaf: number, victim: number, number: number): ReachedFacts {
    const { role, priority, optedOut, startedAt, checkpointedAt } = this.snapshot.allocations;
    const facts: ReachedFacts = {
      number,
      of: this.candidatesOf(leaf),
      kind: kindName(role[victim]!),
      priority: priority[victim]!,
      startedAt: this.startText(victim),
    };
    if (optedOut[victim] === 1) facts.optedOut = true;
    if (this.orders.keys.startedAt[victim] !== startedAt[victim])
      facts.checkpointedAt = String(checkpointedAt[victim]);
    return facts;
  }

  private startText(victim: number): string {
    const { texts, inputPlace } = this.snapshot.allocations;
    return texts.startedAt[inputPlace[victim]!]!;
  }

  private candidatesOf(leaf: number): number {
    return this.candidates.last[leaf]! - this.candidates.first[leaf]!;
  }

  /**
   * Reads what the reasons of some victims are made of. They are scattered over the memory: to wait for all of them together takes a
   * fraction of the time of waiting for one after the other, as `of` does.
   *
   * @returns a number without meaning, so that the engine leaves none of it out.
   */
  readAhead(victims: Int32Array, from: number, to: number): number {
    const { queue, startedAt, priority, role, optedOut, size, texts, inputPlace } = this.snapshot.allocations;
    const startTexts = texts.startedAt;
    let sum = 0;
    // Texts lie scattered most. The processor looks only a few hundred instructions ahead: in a short loop, it fetches many of them at once.
    for (let i = from; i < to; i++) sum += startTexts[inputPlace[victims[i]!]!]!.length;
    for (let i = from; i < to; i++) {
      const victim = victims[i]!;
      sum += startedAt[victim]! + priority[victim]! + this.place[victim]! + queue[victim]!;
      sum += role[victim]! + optedOut[victim]! + size[victim]!;
    }
    return sum;
  }

  private kindOf(leaf: number, victim: number): string {
    const { role, priority, optedOut } = this.snapshot.allocations;
    const kind = role[victim]! * 2 + optedOut[victim]!;
    const last = this.kind;
    // Victims come leaf by leaf and in the order of these, so that most are of the same kind as the one before.
    if (last.leaf !== leaf || last.kind !== kind || last.priority !== priority[victim]!) {
      last.leaf = leaf;
      last.kind = kind;
      last.priority = priority[victim]!;
      last.text = this.kindText(leaf, victim);
    }
    return last.text;
  }

  /** Tasks of one application often follow each other, and have the same end. */
  private endOf(rule: QuotaDecreaseRule, leaf: number, victim: number): string {
    const { end } = this;
    const size = this.snapshot.allocations.size[victim]!;
    if (end.leaf[size] !== leaf || end.rule[size] !== rule) {
      end.leaf[size] = leaf;
      end.rule[size] = rule;
      end.text[size] = this.ruleAndGives(rule, size) + this.towardsOf(leaf);
    }
    return end.text[size]!;
  }

  private ruleAndGives(rule: QuotaDecreaseRule, size: number): string {
    let ofRule = this.endsOfRule.get(rule);
    if (ofRule === undefined) {
      ofRule = [];
      this.endsOfRule.set(rule, ofRule);
    }
    ofRule[size] ??= `: ${quotaDecreaseRules[rule]}; it gives ${this.givesText(size)}`;
    return ofRule[size];
  }

  /** The part of a size that counts towards the target. */
  private givesText(size: number): string {
    const { firstEntry, entryType, entryAmount } = this.snapshot.allocations;
    const given = new Float64Array(this.target.count);
    for (let e = firstEntry[size]!; e < firstEntry[size + 1]!; e++) {
      const place = this.target.placeOfType[entryType[e]!]!;
      if (place >= 0) given[place] = entryAmount[e]!;
    }
    return this.texts.list(this.target.names, given);
  }

  private kindText(leaf: number, victim: number): string {
    const { role, priority, optedOut } = this.snapshot.allocations;
    const name = kindName(role[victim]!);
    const opted = optedOut[victim] === 1 ? ' that opted out of preemption' : '';
    return ` of ${this.candidatesOf(leaf)} in ${this.snapshot.queues.paths[leaf]!}, ${name} of priority ${priority[victim]!}${opted}, started `;
  }

  private towardsOf(leaf: number): string {
    const known = this.towards.get(leaf);
    if (known !== undefined) return known;
    const { names, amounts } = this.target;
    const share = this.shareOf?.(leaf);
    const text =
      share === undefined
        ? ` of the ${this.texts.list(names, amounts)} to be freed.`
        : share.some((amount) => amount > 0)
          ? ` of the ${this.texts.list(names, share)} that fall to this queue.`
          : ' in place of queues that cannot give their part.';
    this.towards.set(leaf, text);
    return text;
  }
}

function kindName(role: number): ReachedFacts['kind'] {
  return role === PLACEHOLDER ? 'placeholder' : role === ORIGINATOR ? 'originator' : 'task';
}
