import type { ClusterReader } from '@curtail/clusters';
import type { PolicySettings } from '@curtail/configuration';
import type { ClusterSnapshot, Plan } from '@curtail/contracts';
import { CurtailError } from '@curtail/contracts';
import type { PlannedVictim, Stop } from '@curtail/enforcement';
import type { Tx } from '@curtail/event-store';
import type { DataSource } from 'typeorm';

/** The state of a partition that decides whether a round may have effects. */
export interface PartitionState {
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
  /** Allocations that a plan may read. */
  mostAllocations: number;
  /** Reads the current state of the partition. */
  state(): Promise<PartitionState>;
}

/** A round that was planned, with all that its plan follows from. */
export interface MadeRound {
  snapshot: ClusterSnapshot;
  plan: Plan;
  settings: PolicySettings;
  /** Those in force: `settings` without what Curtail itself adds at the moment. */
  configured: PolicySettings;
  planSeconds: number;
}

/** A round that was planned, and what is to become of it. */
export interface PlannedRound extends MadeRound {
  state: PartitionState;
  /** Something follows from the plan: it goes into the log. */
  follows: boolean;
  /** The victims for whom nothing can follow, since a switch holds them back: such a plan is shown now and then. */
  held: readonly PlannedVictim[];
  /** The plan does not go into the log, whatever follows: another one comes first. */
  isBehind?: boolean;
  /** The summary of the round that people see, whether it is in the log or not. */
  summary: object;
  /** Written in the transaction that settles the round. Throws SettingsChanged if the round is to be planned once more. */
  alongside?: (tx: Tx) => Promise<void>;
}

/** The settings are others than those that a round was planned with, or the policy is off: it is planned once more. */
export class SettingsChanged extends CurtailError {
  readonly code = 'settings-changed';
}
