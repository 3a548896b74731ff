import type { EnforcementOutcome, Plan } from '@curtail/contracts';
import type { Tally } from './run/tally.js';

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
  /** How a run ends whose plan has victims, once all of them are settled and one was evicted or none was only notified. */
  outcomeOf(plan: Plan, tally: Tally): EnforcementOutcome;
}
