import type { QuotaValues } from '../events/shapes.js';
import type { Plan } from '../planning/plan.js';
import type { ClockEffect, ConfigurationWarning, PolicyChange, RunningRun } from './configuration.js';

/** Something that keeps a plan from being carried out when its clock is due. */
export interface Wait {
  /** `switch`, `mode`: of the partition. `ancestor`: the run of the queue above that has to end first. */
  for: 'switch' | 'stop' | 'ancestor' | 'mode' | 'approval';
  /** The queue of the stop, absent where it covers the partition; or the queue of that run. */
  queue?: string;
  because: string;
}

/** What saving does to the clock of a queue, and why. */
export interface ClockPreview {
  effect: ClockEffect;
  because: string;
}

/** The run that a pending clock leads to. */
export interface RunPreview {
  /** Its place among the runs, from 1, in the order in which they start. */
  order: number;
  /** Null where that depends on an operator: while a stop holds the clock. */
  dueAt: string | null;
  waitsFor: Wait[];
  /** What would be planned at its start, if the work stayed as it is now. */
  plan?: Plan;
  /** Why there is no plan: the run would fail with this. */
  planFault?: string;
  /** Victims of the plan that a stop of their queue spares. */
  held: string[];
}

/** A queue whose quota stays, and whose clock is pending already. */
export interface PendingPreview extends Partial<RunPreview> {
  queue: string;
  current: QuotaValues;
  clock: ClockPreview;
}

/** A queue whose quota would change; the run is there where a clock is pending afterwards. */
export interface QueuePreview extends Partial<RunPreview> {
  queue: string;
  previous: QuotaValues;
  current: QuotaValues;
  clock: ClockPreview;
}

/** What the next round of a policy would come to, where a configuration has it choose somebody whom it does not choose now. */
export interface RoundPreview {
  policy: string;
  plan?: Plan;
  /** Victims whom the configuration in force would not have chosen. */
  more: string[];
  /** Why there is no plan: the round would fail with this. */
  planFault?: string;
}

export interface Preview {
  partition: string;
  dryRun: true;
  /** The moment of the preview, by the clock of the database; due times count from it. */
  at: string;
  quotaPreemptionEnabled: boolean;
  /** The switch in force; null before the first configuration. */
  previousQuotaPreemptionEnabled: boolean | null;
  policyChanges: PolicyChange[];
  changed: QueuePreview[];
  /** Clocks that are pending already, of queues that the configuration does not change; a thousand at most. */
  pending: PendingPreview[];
  /** Queues that leave: they count as without max. */
  removed: { queue: string; previous: QuotaValues }[];
  /** Queues whose properties for policies would change. */
  propertiesChanged: string[];
  /** Clocks for which no plan was made, since there are so many. */
  notPlanned: number;
  /** Of policies with rounds: what the next one would come to, where it would choose more than now. */
  rounds: RoundPreview[];
  /** Runs in progress in changed queues, or in the whole partition where its switch would be turned off. */
  running: RunningRun[];
  /** Allocations that the change leads to the eviction of: not those of clocks that are pending already and stay as they are. */
  victims: number;
  warnings: ConfigurationWarning[];
}
