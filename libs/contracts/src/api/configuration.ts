import type { QuotaValues } from '../events/shapes.js';
import type { Subject } from '../subject.js';

export type ClockEffect = 'starts or restarts' | 'cancels' | 'none';

/** A setting or property before and after; absent where it is not set. */
export interface ValueChange {
  name: string;
  from?: unknown;
  to?: unknown;
}

/** What becomes of a policy in a partition. */
export interface PolicyChange {
  policy: string;
  change: 'starts' | 'ends' | 'settings';
  /** Of one that ran before and goes on. */
  settings: ValueChange[];
}

/** Line and column count from 1; both are absent where the input had no text. */
export interface Place {
  line?: number;
  column?: number;
  /** Where a configuration stands in several files: which one, if it is not the first. */
  file?: string;
}

export interface ConfigurationError extends Place {
  /** The field, such as `partitions[0].queues[1].resorces`; empty for the document itself. */
  path: string;
  /** What is wrong and what would be right. */
  message: string;
}

export type WarningCode =
  | 'delay-bare-number'
  | 'delay-unusual'
  | 'unknown-resource-type'
  | 'unknown-key'
  | 'without-effect'
  | 'preemption-by-default'
  | 'cluster-size-unknown'
  | 'enforcement-ends'
  | 'ignored-attribute'
  | 'guarantee-above-limit'
  | 'aggressive-at-once';

export interface ConfigurationWarning extends ConfigurationError {
  code: WarningCode;
  /** The queue that the field belongs to, else the partition. */
  about: Subject;
}

export interface ChangedQueue {
  queue: string;
  event: 'QuotaChanged' | 'QueueRemoved';
  previous: QuotaValues;
  /** A queue that left counts as without max. */
  current: QuotaValues;
  /** What that does to its clock, if no run is in progress. */
  clock: { effect: ClockEffect; because: string };
}

/** A run in progress in a queue that a save concerns. */
export interface RunningRun {
  queue: string;
  enforcement: string;
  /**
   * It has ordered an eviction, and continues with the quota that it began with until it is cancelled. Otherwise the quota in force
   * when it continues decides what it evicts, and it ends if the enforcement of quotas is switched off.
   */
  evicting: boolean;
  evicted: number;
}

export interface Applied {
  partition: string;
  digest: string;
  version: number;
  quotaPreemptionEnabled: boolean;
  /** The switch before; null before the first configuration. */
  previousQuotaPreemptionEnabled: boolean | null;
  policyChanges: PolicyChange[];
  /** When it came into force. */
  appliedAt: string;
  queues: number;
  /** Queues whose max or effective delay changed, or which left. */
  changed: ChangedQueue[];
  /** Queues whose properties for policies change. */
  propertiesChanged: string[];
  /** Runs in progress in changed queues, or in the whole partition where its switch was turned off. */
  running: RunningRun[];
  warnings: ConfigurationWarning[];
}
