import type { AmountTable } from './amounts.js';
import type { LeafQueue } from './leaf-queue.js';
import type { InQueueRound } from './round.js';

/**
 * The applications that offer something, as those that wait ask them: worst first, without those that the rules of
 * docs/reference/policies/intra-queue.md §5.5 keep from giving.
 *
 * A giver that does not give to an application never gives to a later one of the same user and priority: it has given everything, or
 * its user and priority are in the way and stay so. So a list is passed once for each user and priority that waits, however many
 * applications wait and however little they get.
 */
export class Givers {
  /** Ranks: those that give to applications of other users too, and those that give inside their user alone (rule B), by user. */
  private readonly common: number[] = [];
  private readonly inside: (number[] | undefined)[] = [];
  private readonly isOut: Uint8Array;
  /** By user: it gives no more to applications of other users and equal priority (rule C). */
  private readonly isMarked: Uint8Array;
  /** By priority, and by user and priority: the place in `common`, or in the list of the user, before which none gives any more. */
  private readonly placeOfPriority = new Map<number, number>();
  private readonly placeOfKind = new Map<number, number>();
  private readonly placeInside = new Map<number, number>();
  private readonly userOf: Int32Array;
  private readonly priorityPlace: Float64Array;
  private readonly priorityCount: number;

  constructor(
    { arithmetic, userOf, applicationOrder }: InQueueRound,
    { policy, users }: LeafQueue,
    private readonly ranked: Int32Array,
    offer: AmountTable,
  ) {
    this.userOf = userOf;
    this.priorityPlace = applicationOrder.priorityPlace;
    this.priorityCount = applicationOrder.priorityCount;
    this.isOut = new Uint8Array(ranked.length);
    this.isMarked = new Uint8Array(users.count);
    for (let rank = ranked.length - 1; rank >= 0; rank--) {
      if (!arithmetic.isAboveZero(offer, rank * arithmetic.width)) continue;
      const user = userOf[ranked[rank]!]!;
      if (policy === 'priority-first' || users.isOver[user] === 1) {
        this.common.push(rank);
        continue;
      }
      this.inside[user] ??= [];
      this.inside[user].push(rank);
    }
  }

  /**
   * The rank of the next one that gives to an application; -1 = none.
   *
   * @param last the one that gave to it before, of which everything was taken that it may give.
   */
  nextFor(waiting: number, last: number): number {
    const user = this.userOf[waiting]!;
    const priority = this.priorityPlace[waiting]!;
    const kind = user * this.priorityCount + priority;
    const next = this.nextInCommon(user, priority, kind, last);
    const own = this.inside[user];
    if (own === undefined) return next;
    let place = this.placeInside.get(kind) ?? 0;
    while (place < own.length && (own[place]! >= last || this.isClosedTo(user, priority, own[place]!)))
      place++;
    this.placeInside.set(kind, place);
    return place < own.length ? Math.max(next, own[place]!) : next;
  }

  /** A giver that has given everything. */
  takeOut(rank: number): void {
    this.isOut[rank] = 1;
  }

  /** Rule C: the user has given what it has above its limit. */
  mark(user: number): void {
    this.isMarked[user] = 1;
  }

  private nextInCommon(user: number, priority: number, kind: number, last: number): number {
    const { common } = this;
    let forAll = this.placeOfPriority.get(priority) ?? 0;
    while (forAll < common.length && this.isClosedToAll(priority, common[forAll]!)) forAll++;
    this.placeOfPriority.set(priority, forAll);
    let place = Math.max(forAll, this.placeOfKind.get(kind) ?? 0);
    while (
      place < common.length &&
      (common[place]! >= last || this.isClosedTo(user, priority, common[place]!))
    )
      place++;
    this.placeOfKind.set(kind, place);
    return place < common.length ? common[place]! : -1;
  }

  private isClosedToAll(priority: number, rank: number): boolean {
    const giver = this.ranked[rank]!;
    return (
      this.isOut[rank] === 1 ||
      (this.isMarked[this.userOf[giver]!] === 1 && this.priorityPlace[giver] === priority)
    );
  }

  private isClosedTo(user: number, priority: number, rank: number): boolean {
    if (this.isClosedToAll(priority, rank)) return true;
    const giver = this.ranked[rank]!;
    // Rule A. The place of a priority is the smaller the higher it is.
    return this.userOf[giver] === user && this.priorityPlace[giver]! <= priority;
  }
}
