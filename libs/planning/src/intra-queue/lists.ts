import { RUNNING } from '../snapshot/columns.js';
import { isZero } from './amounts.js';
import type { Round } from './round.js';
import type { Shares } from './shares.js';
import { StandInBudgets } from './stand-in-budgets.js';
import { NOT_FIXED } from './usage.js';
import { NO_GIVE, NOT_NEEDED, UNFIT } from './verdicts.js';
import { WaitingRequests } from './waiting-requests.js';

/** Candidates that are tried one after the other. */
export interface CandidateList {
  /** Sorted when it is reached, and only then. */
  readonly inOrder: () => Int32Array;
  /** Of a list by priority: the applications that stand in for others, by number, and what may be taken from those. */
  readonly standIns: ReadonlySet<number>;
  readonly budgets: StandInBudgets | null;
  /** How many `fitAware` left out. */
  readonly leftOut: number;
}

const NO_STAND_INS: ReadonlySet<number> = new Set();

/** A list that is being made. */
interface Draft {
  readonly candidates: number[];
  leftOut: number;
}

/**
 * The lists of a queue: docs/reference/policies/intra-queue.md §6.2.
 *
 * @param verdicts by allocation; those left out are recorded there, and all others as not needed so far.
 */
export function candidateLists(round: Round, shares: Shares, verdicts: Uint8Array): CandidateList[] {
  return shares.leaf.policy === 'userlimit-first'
    ? byApplication(round, shares, verdicts)
    : byPriority(round, shares, verdicts);
}

function byApplication(round: Round, shares: Shares, verdicts: Uint8Array): CandidateList[] {
  const { ranked, matching } = shares;
  const drafts = ranked.map((_, rank): Draft | null =>
    isZero(matching.give[rank]!) ? null : { candidates: [], leftOut: 0 },
  );
  collect(round, shares, drafts, verdicts);
  const lists: CandidateList[] = [];
  for (let rank = ranked.length - 1; rank >= 0; rank--) {
    const draft = drafts[rank]!;
    if (draft === null) continue;
    const inOrder = () => sorted(round, draft.candidates);
    lists.push({ inOrder, standIns: NO_STAND_INS, budgets: null, leftOut: draft.leftOut });
  }
  return lists;
}

function byPriority(round: Round, shares: Shares, verdicts: Uint8Array): CandidateList[] {
  const { ranked, ideals, matching } = shares;
  const { arithmetic, snapshot } = round;
  const gives = ranked.map((_, rank) => !isZero(matching.give[rank]!));
  const priorities = new Set(ranked.filter((_, rank) => gives[rank]).map(({ priority }) => priority));
  const drafts = new Map<number, Draft & { standIns: Set<number> }>();
  for (const priority of [...priorities].sort((a, b) => a - b)) {
    drafts.set(priority, { candidates: [], leftOut: 0, standIns: new Set() });
  }
  const ofRank = ranked.map(({ number, priority }, rank) => {
    const draft = drafts.get(priority) ?? null;
    if (draft === null || gives[rank]) return draft;
    if (arithmetic.isAboveZero(ideals.need[rank]!)) return null;
    draft.standIns.add(number);
    return draft;
  });
  collect(round, shares, ofRank, verdicts);
  return [...drafts].map(([priority, { candidates, leftOut, standIns }]) => ({
    inOrder: () => {
      const all = sorted(round, candidates);
      const end = 1 + all.findLastIndex((a) => !standIns.has(snapshot.allocations.application[a]!));
      for (const a of all.subarray(end)) verdicts[a] = NO_GIVE;
      return all.subarray(0, end);
    },
    standIns,
    budgets: new StandInBudgets(arithmetic, ranked, priority, matching.moves),
    leftOut,
  }));
}

function sorted(round: Round, candidates: readonly number[]): Int32Array {
  const list = Int32Array.from(candidates);
  round.candidateOrder.sort(list);
  return list;
}

/**
 * Visits the allocations of the queue once and puts candidates where they belong: what runs, is not fixed and, with
 * `fitAware`, makes room for a request.
 *
 * @param drafts where the allocations of an application go, by rank; null = nowhere.
 */
function collect(
  round: Round,
  { leaf, ranked, matching }: Shares,
  drafts: readonly (Draft | null)[],
  verdicts: Uint8Array,
): void {
  const { snapshot, rankOf } = round;
  const { fixedAs } = round.usage;
  const { state, application } = snapshot.allocations;
  const { firstAllocation, byQueue } = snapshot.queues;
  const takers = new Set(matching.moves.map(({ to }) => ranked[to]!.number));
  const waiting = round.settings.fitAware ? new WaitingRequests(snapshot, takers) : null;
  for (let i = firstAllocation[leaf.number]!; i < firstAllocation[leaf.number + 1]!; i++) {
    const a = byQueue[i]!;
    if (state[a] !== RUNNING || fixedAs[a] !== NOT_FIXED) continue;
    const draft = drafts[rankOf[application[a]!]!]!;
    if (draft === null) continue;
    const isFit = waiting === null || waiting.oneFits(a);
    verdicts[a] = isFit ? NOT_NEEDED : UNFIT;
    if (isFit) draft.candidates.push(a);
    else draft.leftOut++;
  }
}
