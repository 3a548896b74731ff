import { BrokenInvariant, type EventData, type Limit, type Resources, type Subject } from '#contracts';
import type { ByRank } from './by-rank.js';
import { type Tally, typesInvolved, type VictimOutcome } from './tally.js';

/* The state of a run as every rule reads it. `state.ts` folds it from events. */

export type PlannedRun = EventData<'PlanComputed'>;
export type PlannedVictim = PlannedRun['plan']['victims'][number];

/** A kill that was recorded and has no outcome yet. */
export interface OpenOrder {
  rank: number;
  attempt: number;
  evictionId: string;
  resources: Resources;
  /** Of the work that it ends. */
  secondsLost?: number;
}

export interface Refusal {
  /** Orders so far. */
  attempts: number;
  /** Those of them that count towards the most. */
  counted: number;
  /** Not before then; absent = immediately. */
  retryAt?: string;
  /** The platform has not answered one of them, and may have carried it out late. */
  isUnanswered?: true;
}

/** The answers of the owner of a victim (docs/how-to/checkpoint-handshake.md). */
export interface VictimAnswers {
  /** It may be evicted now: neither an extension nor its time to finish counts any more. */
  isReady: boolean;
  /** Extended before the run was open: this many seconds count from its opening. */
  secondsFromOpening: number;
  until?: string;
}

export interface RunState extends Tally {
  readonly planned?: PlannedRun;
  /** The planner produced no plan. */
  readonly planFailed?: EventData<'PlanFailed'>;
  /** The run is judged by its `max`. */
  readonly opened?: EventData<'EnforcementOpened'>;
  /** The limit that the run was planned with. */
  readonly fired: Limit;
  /** Another max replaced the one that the run was planned with. */
  readonly rejudged: boolean;
  /** The limit in force that the run was last judged by; absent: only the one that it was planned with. */
  readonly judgedBy?: Limit;
  readonly approved: boolean;
  /** The approval lifts the ceilings of the partition for this run. */
  readonly ceilingsLifted: boolean;
  /** A ceiling of the partition was reached after the run was opened. */
  readonly held?: EventData<'EnforcementHeld'>;
  readonly rejected?: EventData<'PlanRejected'>;
  readonly cancelled?: EventData<'CancelRequested'>;
  readonly ended?: EventData<'EnforcementEnded'>;
  readonly openOrders: ByRank<OpenOrder>;
  /** By number of a group (`OwnChecks.countedIn`): its victims that were evicted, or may have been, or have an open order. */
  readonly going: ByRank<number>;
  /** An eviction was ordered: from here on no other max counts. */
  readonly begun: boolean;
  /** Victims that were refused and have no outcome. */
  readonly refusals: ByRank<Refusal>;
  /** Victims that were asked to finish, with the time before which they are not killed. */
  readonly killAt: ByRank<string>;
  /** Answers of owners, of victims that have one. */
  readonly answers: ByRank<VictimAnswers>;
  /**
   * Milliseconds since 1970 before which a victim without an outcome is not touched: because of its refusal, its time
   * to finish, or an extension.
   */
  readonly waits: ByRank<number>;
  readonly outcomes: ByRank<VictimOutcome>;
  /** Victims that have another outcome, and may have been evicted all the same. */
  readonly possiblyEvicted: ByRank<true>;
  /** Seconds of work lost with each evicted victim, where that is known. */
  readonly secondsLost: ByRank<number>;
  /** All victims of a rank up to this one have an outcome. */
  readonly settledUpTo: number;
  /** All victims of a rank up to this one have an outcome or wait. */
  readonly metUpTo: number;
  /** Milliseconds since 1970 of the orders of the last second, oldest first. */
  readonly recentOrdersMs: readonly number[];
}

export function hasOutcome(state: RunState, rank: number): boolean {
  return state.outcomes.has(rank);
}

/** The outcome of a victim; undefined = none yet. */
export function outcomeOfVictim(state: RunState, rank: number): VictimOutcome | undefined {
  return state.outcomes.get(rank);
}

/** The victims with one of these outcomes. */
export function victimsWith(state: RunState, ...outcomes: VictimOutcome[]): PlannedVictim[] {
  return (state.planned?.plan.victims ?? []).filter(({ rank }) => {
    const outcome = outcomeOfVictim(state, rank);
    return outcome !== undefined && outcomes.includes(outcome);
  });
}

/** The types of the target that are above 0 in `amounts`. */
export function targetTypes(state: RunState, amounts: Resources): string[] {
  return typesInvolved(state.planned?.plan.target ?? {}, amounts);
}

export const ofVictim = ({ allocation, queue }: Pick<PlannedVictim, 'allocation' | 'queue'>): Subject => ({
  kind: 'allocation',
  name: allocation,
  queue,
});

export function assert(condition: unknown, otherwise: string): asserts condition {
  if (!condition) throw new BrokenInvariant(`A rule of the run is broken: ${otherwise}`);
}
