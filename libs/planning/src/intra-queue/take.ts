import { type Amounts, fits, isSomeTypeOut, minus, positive } from './amounts.js';
import type { User } from './leaf-queue.js';
import { candidateLists } from './lists.js';
import type { Round } from './round.js';
import type { Shares } from './shares.js';
import { NO_GIVE, PAST_ROUND, PAST_TYPE, PAST_USER_LIMIT, TAKEN } from './verdicts.js';

/** The victims of a queue, and why there are no more. */
export interface Taken {
  /** Allocations in the order of their rank. */
  readonly victims: readonly number[];
  /** The rest of the demand. */
  readonly left: Amounts;
  /** The users whose lists rule 1 dropped, with what they have left and the allocation that would have been one too many. */
  readonly atLimit: ReadonlyMap<User, { readonly has: Amounts; readonly next: number }>;
  /** How often rules 2 and 3 passed over, and the first allocation that rule 2 did. */
  readonly pastRound: { count: number; first: number };
  readonly pastType: number;
  /** How many candidates the setting `fitAware` left out. */
  readonly leftOut: number;
}

/**
 * Chooses the allocations of a queue: docs/reference/policies/intra-queue.md §6.3. Lowers what is left of the round.
 *
 * - rule 1: with `userlimit-first` a user stays above its limit
 * - rule 2: what does not fit the round is passed over
 * - rule 3: what brings the demand no nearer, or of whose types one is not asked for, is passed over
 *
 * @param verdicts by allocation; what becomes of each candidate is written there.
 */
export function takeFrom(round: Round, shares: Shares, verdicts: Uint8Array): Taken {
  const { arithmetic, snapshot, conservative } = round;
  const { leaf, ranked } = shares;
  const holdsLimits = leaf.policy === 'userlimit-first';
  const has = new Map<User, Amounts>();
  for (const user of leaf.users) has.set(user, minus(user.used, user.inFlight));
  const victims: number[] = [];
  const atLimit = new Map<User, { has: Amounts; next: number }>();
  const pastRound = { count: 0, first: -1 };
  let pastType = 0;
  let demand = shares.demand;
  const lists =
    arithmetic.isAboveZero(demand) || round.settings.explain || round.settings.fitAware
      ? candidateLists(round, shares, verdicts)
      : [];
  const leftOut = lists.reduce((sum, list) => sum + list.leftOut, 0);
  for (const { inOrder, standIns, budgets } of lists) {
    if (!arithmetic.isAboveZero(demand)) break;
    const candidates = inOrder();
    for (let i = 0; i < candidates.length && arithmetic.isAboveZero(demand); i++) {
      const candidate = candidates[i]!;
      const { number, user } = ranked[round.rankOf[snapshot.allocations.application[candidate]!]!]!;
      if (budgets !== null && standIns.has(number) && !budgets.hasFor(user)) {
        verdicts[candidate] = NO_GIVE;
        continue;
      }
      const amount = amountsOf(round, candidate);
      const left = minus(has.get(user)!, amount);
      if (holdsLimits && arithmetic.isAtMost(left, user.limit)) {
        atLimit.set(user, { has: has.get(user)!, next: candidate });
        for (; i < candidates.length; i++) verdicts[candidates[i]!] = PAST_USER_LIMIT;
        break;
      }
      if (!fits(amount, round.left)) {
        verdicts[candidate] = PAST_ROUND;
        if (pastRound.count++ === 0) pastRound.first = candidate;
        continue;
      }
      const after = minus(demand, amount);
      const isUseless = arithmetic.compare(positive(after), positive(demand)) >= 0;
      if (isUseless || (conservative && isSomeTypeOut(demand))) {
        verdicts[candidate] = PAST_TYPE;
        pastType++;
        continue;
      }
      verdicts[candidate] = TAKEN;
      victims.push(candidate);
      has.set(user, left);
      demand = after;
      round.left = minus(round.left, amount);
      budgets?.draw(user, amount);
    }
  }
  return { victims, left: positive(demand), atLimit, pastRound, pastType, leftOut };
}

/** The amounts of the planned types that an allocation uses. */
function amountsOf({ snapshot, arithmetic }: Round, allocation: number): Amounts {
  const { size, firstEntry, entryType, entryAmount } = snapshot.allocations;
  const amounts = arithmetic.zero.slice();
  for (let e = firstEntry[size[allocation]!]!, end = firstEntry[size[allocation]! + 1]!; e < end; e++) {
    const place = arithmetic.placeOfType[entryType[e]!]!;
    if (place >= 0) amounts[place] = entryAmount[e]!;
  }
  return amounts;
}
