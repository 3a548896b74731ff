import { type Amounts, equals, minus, plus, positive } from './amounts.js';
import { type IdealShares, idealShares } from './ideal-shares.js';
import type { LeafQueue } from './leaf-queue.js';
import { type Matching, matchOffers } from './matching.js';
import { freeOffers, type Offers, offersBelow, sumOf } from './offers.js';
import { byPrecedence } from './precedence.js';
import type { Round } from './round.js';
import { timesDown } from './scaled-amount.js';

/** The amounts that the applications of a queue should have, offer and give. Tables are by rank in the order of precedence. */
export interface Shares {
  readonly leaf: LeafQueue;
  /** The applications in the order of precedence. */
  readonly ranked: Int32Array;
  readonly ideals: IdealShares;
  readonly offers: Offers;
  readonly matching: Matching;
  /** The amount to be taken from the queue now. */
  readonly demand: Amounts;
  /** The same without a ceiling, and what could be offered without one. */
  readonly full: Amounts;
  readonly releasable: Amounts;
  /** Which of the two ceilings holds, and how high it is. */
  readonly ceiling: { readonly of: 'queue' | 'round'; readonly amount: Amounts };
}

/** docs/reference/policies/intra-queue.md §5 and §6.1. */
export function sharesOf(round: Round, leaf: LeafQueue): Shares {
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
    releasable: sumOf(free, arithmetic),
    ceiling: { of: amount === ofQueue ? 'queue' : 'round', amount },
  };
}
