import { equals, minus, plus, positive, type TypeAmounts, timesDown } from './amounts.js';
import { type IdealShares, idealShares } from './ideal-shares.js';
import type { LeafQueue } from './leaf-queue.js';
import { freeOffers, type Matching, matchOffers, type Offers, offersBelow, sumOfOffers } from './matching.js';
import type { InQueueRound } from './round.js';

/** The amounts that the applications of a queue should have, offer and give. Tables are by rank in the order of precedence. */
export interface Shares {
  readonly leaf: LeafQueue;
  /** The applications in the order of precedence. */
  readonly ranked: Int32Array;
  readonly ideals: IdealShares;
  readonly offers: Offers;
  readonly matching: Matching;
  /** The amount to be taken from the queue now. */
  readonly demand: TypeAmounts;
  /** The same without a ceiling, and what could be offered without one. */
  readonly full: TypeAmounts;
  readonly releasable: TypeAmounts;
  /** Which of the two ceilings holds, and how high it is. */
  readonly ceiling: { readonly of: 'queue' | 'round'; readonly amount: TypeAmounts };
}

/** docs/reference/policies/intra-queue.md §5 and §6.1. */
export function sharesOf(round: InQueueRound, leaf: LeafQueue): Shares {
  const { arithmetic } = round;
  const ranked = byPrecedence(round, leaf);
  for (let rank = 0; rank < ranked.length; rank++) round.rankOf[ranked[rank]!] = rank;
  const ideals = idealShares(round, leaf, ranked);
  const ofQueue = leaf.guaranteed.map((amount) => timesDown(amount, round.maxAllowableLimit));
  const ofRound = plus(round.left, leaf.inFlight);
  const amount = arithmetic.min(ofQueue, ofRound);
  const free = freeOffers(round, leaf, ranked, ideals.ideal);
  const offers = offersBelow(amount, free, arithmetic);
  const matching = matchOffers(round, leaf, ranked, ideals.need, offers.offer);
  const demand = positive(minus(matching.sum, leaf.inFlight));
  // Where no ceiling cuts anything, who gives to whom is the same without one.
  const isUncut = equals(offers.offer, free.offer);
  const freely = isUncut ? matching : matchOffers(round, leaf, ranked, ideals.need, free.offer);
  const full = minus(freely.sum, leaf.inFlight).map((whole, place) => Math.max(whole, demand[place]!));
  return {
    leaf,
    ranked,
    ideals,
    offers,
    matching,
    demand,
    full,
    releasable: sumOfOffers(free, arithmetic),
    ceiling: { of: amount === ofQueue ? 'queue' : 'round', amount },
  };
}

/**
 * The applications of a queue, the most entitled first: docs/reference/policies/intra-queue.md §5.2. Sorting keeps the order of those
 * that are equal, and the queue has them by submission, then id; so every order here ends in the id.
 */
function byPrecedence(round: InQueueRound, leaf: LeafQueue): Int32Array {
  const { arithmetic, applicationSort, sortKey } = round;
  const { priorityPlace, priorityCount } = round.applicationOrder;
  const ranked = leaf.applications.slice();
  const isFair = round.properties.of(leaf.number).orderingPolicy !== 'fifo';
  if (leaf.policy === 'priority-first' || !isFair) {
    applicationSort.sort(ranked, priorityPlace, priorityCount);
    return ranked;
  }
  // The last rule first: a sort keeps the order of equals.
  const memory = arithmetic.names.indexOf('memory');
  let most = 0;
  for (let i = 0; memory >= 0 && i < ranked.length; i++) {
    const used = round.usage.used[ranked[i]! * arithmetic.width + memory]!;
    sortKey[ranked[i]!] = used;
    if (used > most) most = used;
  }
  if (memory >= 0) applicationSort.sort(ranked, sortKey, most + 1);
  const placeOfUser = usersByExcess(round, leaf);
  for (let i = 0; i < ranked.length; i++) sortKey[ranked[i]!] = placeOfUser[round.userOf[ranked[i]!]!]!;
  applicationSort.sort(ranked, sortKey, leaf.users.count);
  return ranked;
}

/** By user, its place: who is the least above its limit first, ties by the first application. */
function usersByExcess({ arithmetic }: InQueueRound, { users: { count, excess } }: LeafQueue): Int32Array {
  const { width } = arithmetic;
  const users = Array.from({ length: count }, (_, user) => user);
  users.sort((a, b) => arithmetic.compareRows(excess, a * width, excess, b * width));
  const place = new Int32Array(count);
  for (let i = 0; i < count; i++) place[users[i]!] = i;
  return place;
}
