import type { DataSource } from 'typeorm';
import type { ClusterReader } from '#clusters';
import type { PolicySettings } from '#configuration';
import type { ClusterSnapshot, Plan } from '#contracts';
import { CurtailError } from '#contracts';
import type { RoundPlanView } from '#contracts/api';
import type { PlannedVictim, Stop } from '#enforcement';
import type { Tx } from '#event-store';
import type { RuleRun } from '#planning';

/** The state of a partition that decides whether a round may have effects. */
export interface RoundsOfPartition {
  /** By the clock of the database. */
  now: Date;
  mode: 'observe' | 'enforce';
  stops: Stop[];
  /** A run with a lock of its own waits for an approval. */
  awaitsApproval: boolean;
}

/** The inputs of planning a round. */
export interface PlanningTerms {
  db: DataSource;
  cluster: ClusterReader;
  /** The settings in force. */
  configured: PolicySettings;
  /** The maximum number of allocations in a plan. */
  mostAllocations: number;
  /** Reads the current state of the partition. */
  state(): Promise<RoundsOfPartition>;
}

/** A planned round, with all inputs of its plan. */
export interface MadeRound {
  snapshot: ClusterSnapshot;
  plan: Plan;
  /** The deciding rules of the victims. Absent: the policy has none. */
  rules?: RuleRun[];
  settings: PolicySettings;
  /** The settings in force: `settings` without the temporary exemptions that Curtail adds. */
  configured: PolicySettings;
  planSeconds: number;
}

/** A planned round, and how it is settled. */
export interface PlannedRound extends MadeRound {
  state: RoundsOfPartition;
  /** The plan changes something, so it is logged. */
  follows: boolean;
  /**
   * The victims of a plan that cannot change anything because a switch holds them back; such a plan is shown from time
   * to time.
   */
  held: readonly PlannedVictim[];
  /** The plan is not logged, whatever it changes: another one comes first. */
  isBehind?: boolean;
  /** The summary of the round for display, whether it is logged or not. */
  summary: RoundPlanView;
  /** Written in the transaction that settles the round. Throws SettingsChanged if the round has to be planned again. */
  alongside?: (tx: Tx) => Promise<void>;
}

/** The snapshot of a round is older than that of an earlier one: it does not show how long a state has lasted. */
export class StaleObservation extends CurtailError {
  readonly code = 'stale-observation';
}

/** The settings differ from those that a round was planned with, or the policy is off: the round is planned again. */
export class SettingsChanged extends CurtailError {
  readonly code = 'settings-changed';
}
