import type { AmountTexts } from '../writing/amount-text.js';
import { plus } from './amounts.js';
import type { Application } from './leaf-queue.js';
import type { Move } from './matching.js';
import type { Round } from './round.js';
import type { Shares } from './shares.js';

/**
 * States for each victim who waits, by which policy, and why the other's application gives way: its priority, or what its user
 * uses and may use. The same for all victims of an application.
 */
export class Reasons {
  private readonly known = new Map<number, string>();
  /** The moves from each, by rank; and the moves that those of a priority give to higher ones, which stand-ins give in their place. */
  private readonly ofGiver = new Map<number, Move[]>();
  private readonly ofPriority = new Map<number, Move[]>();
  private readonly waitingTexts = new Map<readonly Move[], string>();

  constructor(
    private readonly round: Round,
    private readonly shares: Shares,
    private readonly texts: AmountTexts,
  ) {
    const { ranked, matching } = shares;
    for (const move of matching.moves) {
      const { priority } = ranked[move.from]!;
      addTo(this.ofGiver, move.from, move);
      if (ranked[move.to]!.priority > priority) addTo(this.ofPriority, priority, move);
    }
  }

  of(victim: number): string {
    const owner = this.round.snapshot.allocations.application[victim]!;
    let reason = this.known.get(owner);
    if (reason === undefined) {
      reason = this.sentence(this.round.rankOf[owner]!);
      this.known.set(owner, reason);
    }
    return reason;
  }

  private sentence(rank: number): string {
    const { ranked, leaf } = this.shares;
    const giver = ranked[rank]!;
    const moves = this.ofGiver.get(rank) ?? this.ofPriority.get(giver.priority)!;
    let waiting = this.waitingTexts.get(moves);
    if (waiting === undefined) {
      waiting = this.whoWaits(moves);
      this.waitingTexts.set(moves, waiting);
    }
    return `${waiting}; by ${leaf.policy} ${this.whyGives(giver, ranked[moves[0]!.to]!)}`;
  }

  private whoWaits(moves: readonly Move[]): string {
    const { ideals, ranked, leaf } = this.shares;
    const { id, user, priority } = ranked[moves[0]!.to]!;
    const waiting = new Set(moves.map(({ to }) => to));
    let need = this.round.arithmetic.zero;
    for (const to of waiting) need = plus(need, ideals.need[to]!);
    const more = waiting.size === 1 ? ' waits' : ` and ${waiting.size - 1} more wait`;
    return `${id} of user ${user.name} (priority ${priority})${more} in ${leaf.path} for ${this.texts.list(this.round.arithmetic.names, need)}`;
  }

  private whyGives(giver: Application, waiting: Application): string {
    const { leaf } = this.shares;
    const byPriority = leaf.policy === 'priority-first' || giver.user === waiting.user;
    if (byPriority && giver.priority < waiting.priority) {
      return `${giver.id} of user ${giver.user.name} (priority ${giver.priority}) gives way, as its priority is lower.`;
    }
    const { names } = this.round.arithmetic;
    const { name, used, limit } = giver.user;
    return `${giver.id} of user ${name} (priority ${giver.priority}) gives way: ${name} uses ${this.texts.list(names, used)}, and its limit is ${this.texts.list(names, limit)}.`;
  }
}

function addTo(lists: Map<number, Move[]>, key: number, move: Move): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [move]);
  else list.push(move);
}
