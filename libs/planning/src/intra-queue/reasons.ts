import type { AmountTexts } from '../writing/amount-text.js';
import { type AmountTable, addRow } from './amounts.js';
import type { Round } from './round.js';
import { type IntraQueueRule, intraQueueRules } from './rules.js';
import type { Shares } from './shares.js';

/**
 * States for each victim who waits, by which policy, and why the other's application gives way: its priority, or what its user
 * uses and may use. The same for all victims of an application.
 */
export class Reasons {
  /** By rank. */
  private readonly known: (string | undefined)[];
  /**
   * The ranks of those to which each gives, by rank; and of those of higher priority to which those of a priority give, which
   * stand-ins give in their place.
   */
  private readonly takersOf: (number[] | undefined)[];
  private readonly takersOfPriority = new Map<number, number[]>();
  /** Of one that waits, by rank, and of several by their list. Many give to the same. */
  private readonly waitingText: string[] = [];
  private readonly waitingTexts = new Map<readonly number[], string>();
  /** By user: what it uses and may use. */
  private readonly limitTexts: string[] = [];

  constructor(
    private readonly round: Round,
    private readonly shares: Shares,
    private readonly texts: AmountTexts,
  ) {
    const { ranked, matching } = shares;
    const { from, to } = matching.moves;
    this.known = new Array<string | undefined>(ranked.length);
    this.takersOf = new Array<number[] | undefined>(ranked.length);
    for (let move = 0; move < from.length; move++) {
      const [giver, taker] = [from[move]!, to[move]!];
      const takers = this.takersOf[giver];
      if (takers === undefined) this.takersOf[giver] = [taker];
      else takers.push(taker);
      const priority = this.priorityOf(ranked[giver]!);
      if (this.priorityOf(ranked[taker]!) <= priority) continue;
      const ofPriority = this.takersOfPriority.get(priority);
      if (ofPriority === undefined) this.takersOfPriority.set(priority, [taker]);
      else ofPriority.push(taker);
    }
  }

  /** The rule by which the application of a victim gives way. */
  ruleOf(victim: number): IntraQueueRule {
    const giver = this.round.snapshot.allocations.application[victim]!;
    const taker = this.shares.ranked[this.takers(giver)[0]!]!;
    return this.givesByPriority(giver, taker) ? 'lower-priority' : 'user-limit';
  }

  of(victim: number): string {
    const owner = this.round.snapshot.allocations.application[victim]!;
    const rank = this.round.rankOf[owner]!;
    this.known[rank] ??= this.sentence(owner);
    return this.known[rank];
  }

  private sentence(giver: number): string {
    const { ranked, leaf } = this.shares;
    const takers = this.takers(giver);
    const waits = takers.length === 1 ? this.whoWaitsAlone(takers[0]!) : this.whoOfThemWait(takers);
    return `${waits}; by ${leaf.policy} ${this.whyGives(giver, ranked[takers[0]!]!)}`;
  }

  private takers(giver: number): readonly number[] {
    return this.takersOf[this.round.rankOf[giver]!] ?? this.takersOfPriority.get(this.priorityOf(giver))!;
  }

  private whoWaitsAlone(rank: number): string {
    this.waitingText[rank] ??= this.whoWaits(rank, [rank]);
    return this.waitingText[rank];
  }

  private whoOfThemWait(takers: readonly number[]): string {
    let text = this.waitingTexts.get(takers);
    if (text === undefined) {
      text = this.whoWaits(takers[0]!, [...new Set(takers)]);
      this.waitingTexts.set(takers, text);
    }
    return text;
  }

  private whoWaits(first: number, all: readonly number[]): string {
    const { ideals, ranked, leaf } = this.shares;
    const { arithmetic, snapshot } = this.round;
    const need = arithmetic.zero.slice();
    for (const to of all) addRow(need, 0, ideals.need, to * need.length, need.length);
    const waiting = ranked[first]!;
    const more = all.length === 1 ? ' waits' : ` and ${all.length - 1} more wait`;
    return `${snapshot.applications.ids[waiting]!} of user ${this.userOf(waiting)} (priority ${this.priorityOf(waiting)})${more} in ${leaf.path} for ${this.texts.list(arithmetic.names, need)}`;
  }

  private whyGives(giver: number, waiting: number): string {
    const user = this.round.userOf[giver]!;
    const who = `${this.round.snapshot.applications.ids[giver]!} of user ${this.userOf(giver)} (priority ${this.priorityOf(giver)}) gives way`;
    if (this.givesByPriority(giver, waiting)) return `${who}, as ${intraQueueRules['lower-priority']}.`;
    this.limitTexts[user] ??= this.limitText(user);
    return `${who}: ${this.limitTexts[user]}`;
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
    return `${names[user]} uses ${text(used)}, and its limit is ${text(limit)}.`;
  }

  private userOf(application: number): string {
    return this.round.snapshot.applications.users[application]!;
  }

  private priorityOf(application: number): number {
    return this.round.snapshot.applications.priority[application]!;
  }
}
