import { groupsOf, numbersTo } from '../groups-of.js';
import type { AmountTexts } from '../writing/texts.js';
import { type AmountTable, addRow } from './amounts.js';
import type { InQueueRound } from './round.js';
import type { Shares } from './shares.js';

/** By code, the rules by which the application of a victim gives way, in words. docs/reference/policies/intra-queue.md */
export const intraQueueRules = {
  'lower-priority': 'its priority is lower',
  'user-limit': 'the limit of its user',
} as const;

type IntraQueueRule = keyof typeof intraQueueRules;

/** The end of the reason of one that gives way by priority. */
const AS_LOWER = `) gives way, as ${intraQueueRules['lower-priority']}.`;

/**
 * States for each victim who waits, by which policy, and why the other's application gives way: its priority, or what its user
 * uses and may use. The same for all victims of an application.
 */
export class Reasons {
  /** By rank. */
  private readonly known: (string | undefined)[];
  /**
   * The ranks of those to which each gives, those of rank r from `firstTaker[r]` below `firstTaker[r + 1]`; and of those of higher
   * priority to which those of a priority give, which stand-ins give in their place.
   */
  private readonly firstTaker: Int32Array;
  private readonly takers: Int32Array;
  private readonly takersOfPriority = new Map<number, number[]>();
  private readonly byPolicy: string;
  /** Of one that waits, by rank, and of several by their list. Many give to the same. */
  private readonly waitingText: string[] = [];
  private readonly waitingTexts = new Map<readonly number[], string>();
  /** By user: the end of a reason, with what it uses and may use. */
  private readonly limitTexts: string[] = [];

  constructor(
    private readonly round: InQueueRound,
    private readonly shares: Shares,
    private readonly texts: AmountTexts,
  ) {
    const { ranked, matching } = shares;
    const { from, to } = matching.moves;
    this.byPolicy = `; by ${shares.leaf.policy} `;
    this.known = new Array<string | undefined>(ranked.length);
    const { first, members } = groupsOf(numbersTo(from.length), from, ranked.length);
    this.firstTaker = first;
    this.takers = members.map((move) => to[move]!);
    for (let move = 0; move < from.length; move++) {
      const giver = from[move]!;
      const taker = to[move]!;
      const priority = this.priorityOf(ranked[giver]!);
      if (this.priorityOf(ranked[taker]!) <= priority) continue;
      const ofPriority = this.takersOfPriority.get(priority);
      if (ofPriority === undefined) this.takersOfPriority.set(priority, [taker]);
      // Moves stand in the order of those that they serve.
      else if (ofPriority.at(-1) !== taker) ofPriority.push(taker);
    }
  }

  /** The rule by which the application of a victim gives way. */
  ruleOf(victim: number): IntraQueueRule {
    const giver = this.round.snapshot.allocations.application[victim]!;
    return this.givesByPriority(giver, this.firstServed(giver)) ? 'lower-priority' : 'user-limit';
  }

  of(victim: number): string {
    const owner = this.round.snapshot.allocations.application[victim]!;
    const rank = this.round.rankOf[owner]!;
    this.known[rank] ??= `${this.whoWaitsFor(owner)}${this.byPolicy}${this.whyGives(owner)}`;
    return this.known[rank];
  }

  /** The first application that one gives to. */
  private firstServed(giver: number): number {
    const rank = this.round.rankOf[giver]!;
    const first = this.firstTaker[rank]!;
    const taker = first < this.firstTaker[rank + 1]! ? this.takers[first]! : this.takersInPlaceOf(giver)[0]!;
    return this.shares.ranked[taker]!;
  }

  /** Of a stand-in. */
  private takersInPlaceOf(giver: number): readonly number[] {
    return this.takersOfPriority.get(this.priorityOf(giver))!;
  }

  private whoWaitsFor(giver: number): string {
    const rank = this.round.rankOf[giver]!;
    const first = this.firstTaker[rank]!;
    const end = this.firstTaker[rank + 1]!;
    if (end === first) return this.whoOfThemWait(this.takersInPlaceOf(giver));
    if (end > first + 1) return this.whoWaits([...new Set(this.takers.subarray(first, end))]);
    const taker = this.takers[first]!;
    this.waitingText[taker] ??= this.whoWaits([taker]);
    return this.waitingText[taker];
  }

  private whoOfThemWait(takers: readonly number[]): string {
    let text = this.waitingTexts.get(takers);
    if (text === undefined) {
      text = this.whoWaits(takers);
      this.waitingTexts.set(takers, text);
    }
    return text;
  }

  /** @param takers by rank, each once. */
  private whoWaits(takers: readonly number[]): string {
    const { ideals, ranked, leaf } = this.shares;
    const { arithmetic, snapshot } = this.round;
    const need = arithmetic.zero.slice();
    for (const to of takers) addRow(need, 0, ideals.need, to * need.length, need.length);
    const waiting = ranked[takers[0]!]!;
    const more = takers.length === 1 ? ' waits' : ` and ${takers.length - 1} more wait`;
    return `${snapshot.applications.ids[waiting]!} of user ${this.userOf(waiting)} (priority ${this.priorityOf(waiting)})${more} in ${leaf.path} for ${this.texts.list(arithmetic.names, need)}`;
  }

  private whyGives(giver: number): string {
    const why = this.givesByPriority(giver, this.firstServed(giver)) ? AS_LOWER : this.limitTextOf(giver);
    return `${this.round.snapshot.applications.ids[giver]!} of user ${this.userOf(giver)} (priority ${this.priorityOf(giver)}${why}`;
  }

  private limitTextOf(giver: number): string {
    const user = this.round.userOf[giver]!;
    this.limitTexts[user] ??= this.limitText(user);
    return this.limitTexts[user];
  }

  private givesByPriority(giver: number, waiting: number): boolean {
    const { userOf } = this.round;
    return (
      (this.shares.leaf.policy === 'priority-first' || userOf[giver] === userOf[waiting]) &&
      this.priorityOf(giver) < this.priorityOf(waiting)
    );
  }

  private limitText(user: number): string {
    const { arithmetic } = this.round;
    const { names, used, limit } = this.shares.leaf.users;
    const text = (table: AmountTable) => this.texts.list(arithmetic.names, arithmetic.row(table, user));
    return `) gives way: ${names[user]} uses ${text(used)}, and its limit is ${text(limit)}.`;
  }

  private userOf(application: number): string {
    return this.round.snapshot.applications.users[application]!;
  }

  private priorityOf(application: number): number {
    return this.round.snapshot.applications.priority[application]!;
  }
}
