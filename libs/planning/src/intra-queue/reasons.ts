import type { AmountTexts } from '../writing/amount-text.js';
import type { Application } from './leaf-queue.js';
import type { Move } from './matching.js';
import type { Round } from './round.js';
import type { Shares } from './shares.js';

/**
 * Says of each victim who waits, by which policy, and why the other's application gives way: its priority, or what its user
 * uses and may use. The same for all victims of an application.
 */
export class Reasons {
  private readonly known = new Map<number, string>();

  constructor(
    private readonly round: Round,
    private readonly shares: Shares,
    private readonly texts: AmountTexts,
  ) {}

  of(victim: number): string {
    const owner = this.round.snapshot.allocations.application[victim]!;
    let reason = this.known.get(owner);
    if (reason === undefined) {
      reason = this.sentence(this.shares.merit.findIndex(({ number }) => number === owner));
      this.known.set(owner, reason);
    }
    return reason;
  }

  private sentence(rank: number): string {
    const { merit, leaf } = this.shares;
    const giver = merit[rank]!;
    const moves = this.movesOf(rank);
    const waiting = merit[moves[0]!.to]!;
    const others = new Set(moves.map(({ to }) => to)).size - 1;
    const more = others === 0 ? '' : ` and ${others} more`;
    return `${waiting.id}${more} in ${leaf.path} (user ${waiting.user.name}, priority ${waiting.priority}) ${others === 0 ? 'waits' : 'wait'} for ${this.needOf(moves)}; by ${leaf.policy} ${this.whyGives(giver, waiting)}`;
  }

  /** What it gives; of a stand-in what the others of its priority give to higher ones. */
  private movesOf(rank: number): readonly Move[] {
    const { matching, merit } = this.shares;
    const own = matching.moves.filter(({ from }) => from === rank);
    if (own.length > 0) return own;
    const { priority } = merit[rank]!;
    return matching.moves.filter(
      ({ from, to }) => merit[from]!.priority === priority && merit[to]!.priority > priority,
    );
  }

  private needOf(moves: readonly Move[]): string {
    const { ideals } = this.shares;
    const { names, zero } = this.round.arithmetic;
    const sum = [...zero];
    for (const to of new Set(moves.map((move) => move.to))) {
      ideals.need[to]!.forEach((amount, place) => {
        sum[place]! += amount;
      });
    }
    return this.texts.list(names, sum);
  }

  private whyGives(giver: Application, waiting: Application): string {
    const { leaf } = this.shares;
    const byPriority = leaf.policy === 'priority-first' || giver.user === waiting.user;
    if (byPriority && giver.priority < waiting.priority) {
      return `${giver.id} (user ${giver.user.name}, priority ${giver.priority}) gives way, as its priority is lower.`;
    }
    const { names } = this.round.arithmetic;
    const { name, used, limit } = giver.user;
    const priority = leaf.policy === 'priority-first' ? ` (priority ${giver.priority})` : '';
    return `${giver.id}${priority} of user ${name} gives way, which uses ${this.texts.list(names, used)} and has a limit of ${this.texts.list(names, limit)}.`;
  }
}
