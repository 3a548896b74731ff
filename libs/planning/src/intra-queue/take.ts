import { copyRow, fits, isSomeTypeOut, positive, subtractRow, type TypeAmounts } from './amounts.js';
import { NO_GIVE, PAST_ROUND, PAST_TYPE, PAST_USER_LIMIT, TAKEN } from './in-queue-snapshot.js';
import { type CandidateLists, candidateLists } from './lists.js';
import type { InQueueRound } from './round.js';
import type { Shares } from './shares.js';

/** The victims of a queue, and why there are no more. */
export interface TakenInQueue {
  /** Allocations in the order of their rank. */
  readonly victims: readonly number[];
  /** The rest of the demand. */
  readonly left: TypeAmounts;
  /** The users whose lists rule 1 dropped, with what they have left and the allocation that would have been one too many. */
  readonly atLimit: ReadonlyMap<number, { readonly has: TypeAmounts; readonly next: number }>;
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
export function takeFrom(round: InQueueRound, shares: Shares, verdicts: Uint8Array): TakenInQueue {
  const { arithmetic, conservative, userOf } = round;
  const { width } = arithmetic;
  const { application } = round.snapshot.allocations;
  const { policy, users } = shares.leaf;
  const holdsLimits = policy === 'userlimit-first';
  const has = users.used.slice();
  subtractRow(has, 0, users.inFlight, 0, has.length);
  const victims: number[] = [];
  const atLimit = new Map<number, { has: TypeAmounts; next: number }>();
  const pastRound = { count: 0, first: -1 };
  let pastType = 0;
  const demand = shares.demand.slice();
  // What the candidate uses, and what it leaves its user.
  const amount = arithmetic.zero.slice();
  const left = amount.slice();
  const { lists, leftOut } = listsOf(round, shares, verdicts);
  for (const { inOrder, standIns } of lists) {
    if (!arithmetic.isAboveZero(demand)) break;
    const candidates = inOrder();
    for (let i = 0; i < candidates.length && arithmetic.isAboveZero(demand); i++) {
      const candidate = candidates[i]!;
      const owner = application[candidate]!;
      const user = userOf[owner]!;
      if (standIns !== null && round.standsIn[owner] === 1 && !standIns.hasFor(user)) {
        verdicts[candidate] = NO_GIVE;
        continue;
      }
      setAmounts(round, candidate, amount);
      copyRow(left, 0, has, user * width, width);
      subtractRow(left, 0, amount, 0, width);
      if (holdsLimits && arithmetic.compareRows(left, 0, users.limit, user * width) <= 0) {
        atLimit.set(user, { has: arithmetic.row(has, user), next: candidate });
        for (; i < candidates.length; i++) verdicts[candidates[i]!] = PAST_USER_LIMIT;
        break;
      }
      if (!fits(amount, round.left)) {
        verdicts[candidate] = PAST_ROUND;
        if (pastRound.count++ === 0) pastRound.first = candidate;
        continue;
      }
      if ((conservative && isSomeTypeOut(demand)) || !arithmetic.brings(amount, demand)) {
        verdicts[candidate] = PAST_TYPE;
        pastType++;
        continue;
      }
      verdicts[candidate] = TAKEN;
      victims.push(candidate);
      copyRow(has, user * width, left, 0, width);
      subtractRow(demand, 0, amount, 0, width);
      subtractRow(round.left, 0, amount, 0, width);
      standIns?.draw(user, amount);
    }
  }
  return { victims, left: positive(demand), atLimit, pastRound, pastType, leftOut };
}

function listsOf(round: InQueueRound, shares: Shares, verdicts: Uint8Array): CandidateLists {
  const { explain, fitAware } = round.settings;
  if (explain || fitAware || round.arithmetic.isAboveZero(shares.demand)) {
    return candidateLists(round, shares, verdicts);
  }
  return { lists: [], leftOut: 0 };
}

/** Sets the amounts of the planned types that an allocation uses. */
function setAmounts({ snapshot, arithmetic }: InQueueRound, allocation: number, amounts: TypeAmounts): void {
  const { size, firstEntry, entryType, entryAmount } = snapshot.allocations;
  // No `fill`: of so few cells a call of the engine takes most of the time.
  for (let place = 0; place < amounts.length; place++) amounts[place] = 0;
  for (let e = firstEntry[size[allocation]!]!, end = firstEntry[size[allocation]! + 1]!; e < end; e++) {
    const place = arithmetic.placeOfType[entryType[e]!]!;
    if (place >= 0) amounts[place] = entryAmount[e]!;
  }
}
