import type { EnforcementOutcome, Notice, Plan, SnapshotAllocation } from '#contracts';
import { amountOf, isNothing, positiveDifference } from './amounts.js';
import type { RunControl } from './run/control.js';
import type { ReachableFacts } from './run/facts.js';
import type { PlannedRun, PlannedVictim, RunState } from './run/run-state.js';
import { missing, type Tally } from './run/tally.js';

/** The behaviour of runs that depends on their policy. Everything else is the same for all runs (`run/`). */
export interface RunPolicy {
  readonly name: string;
  /**
   * A run is a round: one of many of a policy that plans again and again. The next round decides about unfinished work
   * from a fresh snapshot. Otherwise a run enforces the quota of its queue, and is held back while the quotas of its
   * partition are not enforced.
   */
  readonly isRound: boolean;
  /**
   * A round notifies owners and ends; only a later round that selects the victim again kills it. Otherwise the run that notifies an owner
   * waits for the victim to finish, and kills it.
   */
  readonly notifiesInOneRound: boolean;
  /**
   * A kill grants the victim its grace period. Otherwise the victim was asked to finish before, and its grace period is over when it is
   * killed.
   */
  readonly killsWithGrace: boolean;
  readonly ownChecks?: OwnChecks;
  /** How a run ends whose plan has victims, once all of them are settled and one was evicted or none was only notified. */
  outcomeOf(plan: Plan, tally: Tally): EnforcementOutcome;
}

/** Sets of victims that go completely or not at all: all of a set are ordered in one step. */
export interface Units {
  /** The maximum number of victims that are ordered in one step. */
  readonly most: number;
  /** The victims that are ordered with this one, itself included, by rank. One: it goes alone. */
  of(state: RunState, victim: PlannedVictim): readonly PlannedVictim[];
  /** The reason of a victim that stays because another victim of its unit stays. @param why a sentence. */
  whyRestStays(victim: PlannedVictim, other: PlannedVictim, why: string): Notice;
}

/** Checks before an eviction that one policy adds to those of all policies (`nextStep`). */
export interface OwnChecks {
  /** Other victims that have to be checked with this one, because they go together or not at all. */
  checkedBeside(state: RunState, victim: PlannedVictim): PlannedVictim[];
  /** Whether the victim waits, because one that goes together with it was refused and will be retried. */
  awaitsOther(state: RunState, victim: PlannedVictim): boolean;
  /** Absent: each victim goes alone. */
  readonly units?: Units;
  /** The groups, as numbers from 0, that a victim counts in while it is ordered and once it is evicted (`RunState.going`). */
  countedIn?(planned: PlannedRun, victim: PlannedVictim): readonly number[];
  /** Returns why a victim that still runs is spared after all, or undefined if it may be asked to finish or killed. */
  whyStays(
    state: RunState,
    victim: PlannedVictim,
    live: SnapshotAllocation,
    at: { now: string; control: RunControl; facts: ReachableFacts },
  ): Notice | undefined;
}

/**
 * The outcome of a plan with a target: `satisfied` if the victims freed the promised amounts, or the queue was found
 * down to its quota in the remaining types; a plan with the outcome `best-effort` is satisfied only by its whole
 * target. Otherwise: `best-effort` if anything was freed, `failed` if nothing was freed and a kill failed, `impossible`
 * if nothing was freed and no kill failed.
 */
export function outcomeOfTarget(plan: Plan, tally: Tally): EnforcementOutcome {
  const promised =
    plan.outcome === 'satisfied' ? positiveDifference(plan.target, plan.shortfall) : plan.target;
  if (isNothing(missing(tally, promised))) return 'satisfied';
  if (Object.keys(plan.target).some((type) => amountOf(tally.freed, type) > 0)) return 'best-effort';
  return tally.counts.failed > 0 ? 'failed' : 'impossible';
}
