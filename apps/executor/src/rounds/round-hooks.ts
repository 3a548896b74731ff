import type { OpeningTerms, PlanInBrief, PlannedVictim, Stop, VictimOutcome } from '@curtail/enforcement';
import type { Tx } from '@curtail/event-store';
import type { RunLog } from '../run-log.js';

/** What is written together with an event. */
export type Effect = (tx: Tx) => Promise<void>;

/** A victim of a run that was given up, and what became of it. */
export type SettledVictim = Pick<PlannedVictim, 'allocation' | 'application'> & { outcome: VictimOutcome };

export interface GivenUpRun extends Pick<PlanInBrief, 'policy' | 'partition' | 'enforcement'> {
  settings: unknown;
}

/** What rounds of one policy do beside what every run does. */
export interface RoundHooks {
  readonly policy: PlanInBrief['policy'];
  /** Opens the run, and decides what becomes of the round. */
  open(run: RunLog, terms: OpeningTerms, stops: readonly Stop[]): Promise<void>;
  /**
   * Notifies owners, then records that they were. A crash in between notifies them twice, and kills nobody before the time that is on
   * record.
   */
  notify(run: RunLog, victims: PlannedVictim[], at: Date): Promise<void>;
  /** Before the first victim of a plan that has waited for its approval. */
  approved(run: RunLog): Promise<void>;
  /** What the end of the run changes beside the log, in the same transaction. */
  effectOfEnd(run: RunLog, at: Date): Promise<Effect>;
  /** The same for a run that was not loaded (`GiveUp`). An operator's approval is not kept: the next round asks again. */
  leaveGivenUp(tx: Tx, run: GivenUpRun, settled: readonly SettledVictim[]): Promise<void>;
}

/** Of all policies with rounds. */
export const ROUND_HOOKS = Symbol('ROUND_HOOKS');
