import { groupsOf, numbersTo } from '../groups-of.js';
import { RUNNING } from '../snapshot/columns.js';
import { isZero } from './amounts.js';
import { type InQueueSnapshot, NO_GIVE, NOT_NEEDED, UNFIT } from './in-queue-snapshot.js';
import type { InQueueRound } from './round.js';
import type { Shares } from './shares.js';
import { StandInBudgets } from './stand-in-budgets.js';
import { NOT_FIXED } from './usage.js';

/** Candidates that are tried one after the other. */
export interface CandidateList {
  /** Sorted when it is reached, and only then. */
  readonly inOrder: () => Int32Array;
  /** Of a list by priority with stand-ins (`Round.standsIn`): what may be taken from those. */
  readonly standIns: StandInBudgets | null;
}

export interface CandidateLists {
  readonly lists: readonly CandidateList[];
  /** How many candidates `fitAware` left out. */
  readonly leftOut: number;
}

/**
 * The lists of a queue: docs/reference/policies/intra-queue.md §6.2.
 *
 * @param verdicts by allocation; those left out are recorded there, and all others as not needed so far.
 */
export function candidateLists(round: InQueueRound, shares: Shares, verdicts: Uint8Array): CandidateLists {
  return shares.leaf.policy === 'userlimit-first'
    ? byApplication(round, shares, verdicts)
    : byPriority(round, shares, verdicts);
}

function byApplication(round: InQueueRound, shares: Shares, verdicts: Uint8Array): CandidateLists {
  const { ranked } = shares;
  const listOfRank = new Int32Array(ranked.length).fill(-1);
  let count = 0;
  for (let rank = ranked.length - 1; rank >= 0; rank--) {
    if (gives(round, shares, rank)) listOfRank[rank] = count++;
  }
  const { candidatesOf, leftOut } = collect(round, shares, listOfRank, count, verdicts);
  const lists = candidatesOf.map((candidates): CandidateList => {
    return { inOrder: () => sorted(round, candidates), standIns: null };
  });
  return { lists, leftOut };
}

function byPriority(round: InQueueRound, shares: Shares, verdicts: Uint8Array): CandidateLists {
  const { ranked, ideals } = shares;
  const { arithmetic, snapshot } = round;
  const listOfRank = new Int32Array(ranked.length).fill(-1);
  const standInsOf: number[] = [];
  const ranksOfList: { first: number; end: number }[] = [];
  const listOfPriority = new Map<number, number>();
  // The lowest priority first: the applications of each follow each other in the order of precedence.
  for (let end = ranked.length, from = end; end > 0; end = from) {
    let isGiven = false;
    while (from > 0 && priorityOf(round, ranked[from - 1]!) === priorityOf(round, ranked[end - 1]!)) {
      if (gives(round, shares, --from)) isGiven = true;
    }
    if (!isGiven) continue;
    const list = ranksOfList.push({ first: from, end }) - 1;
    let standIns = 0;
    listOfPriority.set(priorityOf(round, ranked[from]!), list);
    for (let rank = from; rank < end; rank++) {
      const isGiver = gives(round, shares, rank);
      if (!isGiver && arithmetic.isAboveZero(ideals.need, rank * arithmetic.width)) continue;
      listOfRank[rank] = list;
      round.standsIn[ranked[rank]!] = isGiver ? 0 : 1;
      if (!isGiver) standIns++;
    }
    standInsOf.push(standIns);
  }
  const { candidatesOf, leftOut } = collect(round, shares, listOfRank, ranksOfList.length, verdicts);
  const movesOfList = movesToHigher(round, shares, listOfPriority, ranksOfList.length);
  const lists = candidatesOf.map((candidates, list): CandidateList => {
    if (standInsOf[list] === 0) return { inOrder: () => sorted(round, candidates), standIns: null };
    return {
      inOrder: () => {
        const all = sorted(round, candidates);
        const { application } = snapshot.allocations;
        let end = all.length;
        while (end > 0 && round.standsIn[application[all[end - 1]!]!] === 1) verdicts[all[--end]!] = NO_GIVE;
        return all.subarray(0, end);
      },
      standIns: new StandInBudgets(
        round,
        shares.leaf.users,
        ranked,
        ranksOfList[list]!,
        shares.matching.moves,
        movesOfList[list]!,
      ),
    };
  });
  return { lists, leftOut };
}

const priorityOf = ({ applicationOrder }: InQueueRound, application: number): number =>
  applicationOrder.priorityPlace[application]!;

function gives({ arithmetic: { width } }: InQueueRound, { matching }: Shares, rank: number): boolean {
  return !isZero(matching.give, rank * width, width);
}

/** The numbers of the moves from each priority that has a list to higher ones. */
function movesToHigher(
  round: InQueueRound,
  { ranked, matching }: Shares,
  listOfPriority: ReadonlyMap<number, number>,
  lists: number,
): number[][] {
  const { from, to } = matching.moves;
  const moves: number[][] = Array.from({ length: lists }, () => []);
  for (let move = 0; move < from.length; move++) {
    const priority = priorityOf(round, ranked[from[move]!]!);
    const list = listOfPriority.get(priority);
    if (list !== undefined && priorityOf(round, ranked[to[move]!]!) < priority) moves[list]!.push(move);
  }
  return moves;
}

function sorted(round: InQueueRound, candidates: Int32Array): Int32Array {
  round.candidateOrder.sort(candidates);
  return candidates;
}

/**
 * Visits the allocations of the queue once and puts candidates where they belong: what runs, is not fixed and, with
 * `fitAware`, makes room for a request.
 *
 * @param listOfRank where the allocations of an application go, by rank; -1 = nowhere.
 */
function collect(
  round: InQueueRound,
  { leaf, ranked, matching }: Shares,
  listOfRank: Int32Array,
  lists: number,
  verdicts: Uint8Array,
): { candidatesOf: Int32Array[]; leftOut: number } {
  const { snapshot, rankOf, listOf } = round;
  const { fixedAs } = round.usage;
  const { state, application } = snapshot.allocations;
  const { firstAllocation } = snapshot.queues;
  const waiting = round.settings.fitAware
    ? new WaitingRequests(snapshot, new Set(matching.moves.to.map((to) => ranked[to]!)))
    : null;
  const from = firstAllocation[leaf.number]!;
  const end = firstAllocation[leaf.number + 1]!;
  let leftOut = 0;
  for (let a = from; a < end; a++) {
    const list = listOfRank[rankOf[application[a]!]!]!;
    listOf[a] = -1;
    if (list < 0 || state[a] !== RUNNING || fixedAs[a] !== NOT_FIXED) continue;
    const isFit = waiting === null || waiting.oneFits(a);
    verdicts[a] = isFit ? NOT_NEEDED : UNFIT;
    if (isFit) listOf[a] = list;
    else leftOut++;
  }
  const { first, members } = groupsOf(numbersTo(end, from), listOf, lists);
  const candidatesOf = Array.from({ length: lists }, (_, list) =>
    members.subarray(first[list]!, first[list + 1]!),
  );
  return { candidatesOf, leftOut };
}

/** A request as pairs of type and amount above 0. */
type Request = readonly (readonly [type: number, amount: number])[];

/**
 * With the setting `fitAware`: whether an allocation has room for one request that waits. docs/reference/policies/intra-queue.md §6.2.
 * A request for nothing, or for no times, does not wait.
 */
class WaitingRequests {
  private readonly requests: readonly Request[];

  /** @param applications numbers of those that get something. */
  constructor(
    private readonly snapshot: InQueueSnapshot,
    applications: Iterable<number>,
  ) {
    const { first, count, firstEntry, entryType, entryAmount } = snapshot.applications.pending;
    const distinct = new Map<string, Request>();
    for (const application of applications) {
      const place = snapshot.applicationPlace[application]!;
      for (let r = first[place]!; r < first[place + 1]!; r++) {
        if (count[r] === 0) continue;
        const request: [number, number][] = [];
        for (let e = firstEntry[r]!, end = firstEntry[r + 1]!; e < end; e++) {
          if (entryAmount[e]! > 0) request.push([entryType[e]!, entryAmount[e]!]);
        }
        if (request.length > 0) distinct.set(JSON.stringify(request), request);
      }
    }
    this.requests = [...distinct.values()];
  }

  oneFits(allocation: number): boolean {
    return this.requests.some((request) =>
      request.every(([type, amount]) => this.amountOf(allocation, type) >= amount),
    );
  }

  private amountOf(allocation: number, type: number): number {
    const { size, firstEntry, entryType, entryAmount } = this.snapshot.allocations;
    for (let e = firstEntry[size[allocation]!]!, end = firstEntry[size[allocation]! + 1]!; e < end; e++) {
      if (entryType[e] === type) return entryAmount[e]!;
    }
    return 0;
  }
}
