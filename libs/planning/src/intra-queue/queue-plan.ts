import type { ApplicationShare, Outcome, Share, UserShare } from '#contracts';
import { type AmountTexts, resourcesOf } from '../writing/texts.js';
import { type AmountTable, isZero, minus, positive, type TypeAmounts } from './amounts.js';
import { leafQueue } from './leaf-queue.js';
import type { InQueueRound } from './round.js';
import { type Shares, sharesOf } from './shares.js';
import { type SkippedQueue, whyClosed, whyIdle } from './skipped-queue.js';
import { type TakenInQueue, takeFrom } from './take.js';

/** The decisions of the round for one queue. Amounts by planned type. */
export interface QueuePlan {
  readonly shares: Shares;
  readonly taken: TakenInQueue;
  readonly target: TypeAmounts;
  /** Of what the victims give, what is in types of the target. */
  readonly claimed: TypeAmounts;
  readonly shortfall: TypeAmounts;
  readonly overshoot: TypeAmounts;
  /** Of what the victims give, all else, by type of the snapshot. */
  readonly collateral: Float64Array;
  readonly outcome: Outcome;
}

/** Plans one queue without children; null where it has no applications. Lowers what is left of the round. */
export function planQueue(
  round: InQueueRound,
  queue: number,
  verdicts: Uint8Array,
  texts: AmountTexts,
): QueuePlan | SkippedQueue | null {
  if (round.applications(queue).length === 0) return null;
  const closed = whyClosed(round, queue);
  if (closed !== null) return closed;
  const leaf = leafQueue(round, queue);
  const idle = whyIdle(round, leaf, texts);
  if (idle !== null) return idle;

  const shares = sharesOf(round, leaf);
  const taken = takeFrom(round, shares, verdicts);
  // An amount that only users' limits keep back is no target: there is nothing to wait for.
  const stoppedByLimit = taken.atLimit.size > 0 && taken.pastRound.count === 0 && taken.pastType === 0;
  const target = stoppedByLimit ? positive(minus(shares.full, taken.left)) : shares.full;
  const { given, collateral } = givenBy(round, target, taken.victims);
  const shortfall = positive(minus(target, given));
  return {
    shares,
    taken,
    target,
    claimed: given,
    shortfall,
    overshoot: positive(minus(given, target)),
    collateral,
    outcome: outcomeOfQueue(target, shortfall, taken.victims.length > 0 || !isZero(leaf.inFlight)),
  };
}

/** The first that applies; of a queue and of a whole plan. docs/reference/policies/intra-queue.md §10. */
export function outcomeOfQueue(target: TypeAmounts, shortfall: TypeAmounts, somethingGoes: boolean): Outcome {
  if (isZero(target)) return 'not-needed';
  if (isZero(shortfall)) return 'satisfied';
  return somethingGoes ? 'best-effort' : 'impossible';
}

function givenBy(
  { arithmetic, snapshot }: InQueueRound,
  target: TypeAmounts,
  victims: readonly number[],
): { given: TypeAmounts; collateral: Float64Array } {
  const { size, firstEntry, entryType, entryAmount } = snapshot.allocations;
  const given = arithmetic.zero.slice();
  const collateral = new Float64Array(snapshot.types.length);
  for (const victim of victims) {
    for (let e = firstEntry[size[victim]!]!, end = firstEntry[size[victim]! + 1]!; e < end; e++) {
      const type = entryType[e]!;
      const place = arithmetic.placeOfType[type]!;
      if (place >= 0 && target[place]! > 0) given[place]! += entryAmount[e]!;
      else collateral[type]! += entryAmount[e]!;
    }
  }
  return { given, collateral };
}

/** The entry of a planned queue; with `explain` also its users, by name, and its applications, the most entitled first. */
export function shareOf(round: InQueueRound, { shares, target, claimed }: QueuePlan): Share {
  const { names } = round.arithmetic;
  const written = (table: AmountTable, row = 0) =>
    resourcesOf(names, (place) => table[row * names.length + place]!);
  const { leaf, ranked, ideals, offers, matching, releasable } = shares;
  const share: Share = {
    queue: leaf.path,
    releasable: written(releasable),
    target: written(target),
    claimed: written(claimed),
  };
  if (!round.settings.explain) return share;
  const { ids } = round.snapshot.applications;
  const { used, limit } = leaf.users;
  const users = leaf.users.names
    .map((user, i): UserShare => ({ user, used: written(used, i), limit: written(limit, i) }))
    .sort((a, b) => (a.user < b.user ? -1 : 1));
  const applications = Array.from(
    ranked,
    (application, rank): ApplicationShare => ({
      application: ids[application]!,
      used: written(round.usage.used, application),
      pending: written(round.pending, application),
      ideal: written(ideals.ideal, rank),
      need: written(ideals.need, rank),
      offer: written(offers.offer, rank),
      give: written(matching.give, rank),
    }),
  );
  return { ...share, users, applications };
}
