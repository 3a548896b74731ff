import { RUNNING } from '../snapshot/columns.js';
import { isZero } from './amounts.js';
import { sortCandidates } from './candidate-order.js';
import type { Application } from './leaf-queue.js';
import { Pots } from './pots.js';
import type { Round } from './round.js';
import type { Shares } from './shares.js';
import { NOT_FIXED } from './usage.js';
import { NO_GIVE, NOT_NEEDED, UNFIT } from './verdicts.js';
import { WaitingRequests } from './waiting-requests.js';

/** Candidates that are tried one after the other. */
export interface CandidateList {
  /** Sorted when it is reached, and only then. */
  readonly inOrder: () => readonly number[];
  /** Of a list by priority: the applications that stand in for others, by number, and what may be taken from those. */
  readonly standIns: ReadonlySet<number>;
  readonly pots: Pots | null;
  /** How many `fitAware` left out. */
  readonly leftOut: number;
}

const NOBODY: ReadonlySet<number> = new Set();

/**
 * The lists of a queue: docs/policies/intra-queue.md §6.2.
 *
 * @param verdicts by allocation; told who is left out, and that all others were not needed so far.
 */
export function candidateLists(round: Round, shares: Shares, verdicts: Uint8Array): CandidateList[] {
  const collect = collector(round, shares, verdicts);
  return shares.leaf.policy === 'userlimit-first'
    ? byApplication(round, shares, collect)
    : byPriority(round, shares, collect, verdicts);
}

/** Returns how many were left out. */
type Collect = (application: Application, into: number[]) => number;

function byApplication(round: Round, { merit, matching }: Shares, collect: Collect): CandidateList[] {
  const lists: CandidateList[] = [];
  for (let rank = merit.length - 1; rank >= 0; rank--) {
    if (isZero(matching.give[rank]!)) continue;
    const candidates: number[] = [];
    const leftOut = collect(merit[rank]!, candidates);
    lists.push({
      inOrder: () => sortCandidates(round.snapshot, candidates),
      standIns: NOBODY,
      pots: null,
      leftOut,
    });
  }
  return lists;
}

function byPriority(
  round: Round,
  { merit, ideals, matching }: Shares,
  collect: Collect,
  verdicts: Uint8Array,
): CandidateList[] {
  const { arithmetic, snapshot } = round;
  const gives = (rank: number): boolean => !isZero(matching.give[rank]!);
  const priorities = new Set(merit.filter((_, rank) => gives(rank)).map(({ priority }) => priority));
  const parts = new Map<number, { candidates: number[]; standIns: Set<number>; leftOut: number }>();
  for (const priority of [...priorities].sort((a, b) => a - b)) {
    parts.set(priority, { candidates: [], standIns: new Set(), leftOut: 0 });
  }
  merit.forEach((application, rank) => {
    const part = parts.get(application.priority);
    if (part === undefined) return;
    if (!gives(rank)) {
      if (arithmetic.isAboveZero(ideals.need[rank]!)) return;
      part.standIns.add(application.number);
    }
    part.leftOut += collect(application, part.candidates);
  });
  return [...parts].map(([priority, { candidates, standIns, leftOut }]) => ({
    inOrder: () => {
      const sorted = sortCandidates(snapshot, candidates);
      const end = 1 + sorted.findLastIndex((a) => !standIns.has(snapshot.allocations.application[a]!));
      for (const a of sorted.slice(end)) verdicts[a] = NO_GIVE;
      return sorted.slice(0, end);
    },
    standIns,
    pots: new Pots(arithmetic, merit, priority, matching.moves),
    leftOut,
  }));
}

/** Adds the candidates of an application: what runs, is not fixed and, with `fitAware`, makes room for a request. */
function collector(round: Round, { merit, matching }: Shares, verdicts: Uint8Array): Collect {
  const { firstOf, byApplication: all, fixedAs } = round.usage;
  const { state } = round.snapshot.allocations;
  const takers = new Set(matching.moves.map(({ to }) => merit[to]!.number));
  const waiting = round.settings.fitAware ? new WaitingRequests(round.snapshot, takers) : null;
  return ({ number }, into) => {
    let leftOut = 0;
    for (let i = firstOf[number]!; i < firstOf[number + 1]!; i++) {
      const a = all[i]!;
      if (state[a] !== RUNNING || fixedAs[a] !== NOT_FIXED) continue;
      const isFit = waiting === null || waiting.oneFits(a);
      verdicts[a] = isFit ? NOT_NEEDED : UNFIT;
      if (isFit) into.push(a);
      else leftOut++;
    }
    return leftOut;
  };
}
