import type { ConfigurationFormat, ConfiguredQueue, Resources } from '#contracts';
import type { ConfigurationError, ConfigurationWarning } from '#contracts/api';
import type { PartitionPolicies } from './policies.js';

export interface ConfigurationPartition {
  name: string;
  quotaPreemptionEnabled: boolean;
  policies: PartitionPolicies;
}

/** Amounts as they were written, in base units up to 2^63 - 1. */
export type ExactAmounts = { readonly [type: string]: bigint };

/**
 * One queue. `max` and `guaranteed` are null where the queue has none, and carry more than 2^53 - 1 as 2^53 - 1, as a
 * snapshot does; `exact` has every digit. `delayMs` is the effective delay, at most 2^53 - 1.
 */
export interface ConfigurationQueue extends ConfiguredQueue {
  partition: string;
  max: Resources | null;
  guaranteed: Resources | null;
  exact: { max: ExactAmounts | null; guaranteed: ExactAmounts | null };
  /** The effective delay in seconds, at most 2^53 - 1, with decimals where it has milliseconds. */
  delaySeconds: number;
}

/** The content of a configuration, or all its problems: `partitions` and `queues` are empty if it is refused. */
export interface ConfigurationResult {
  /** The format in which it was read. */
  format: ConfigurationFormat;
  valid: boolean;
  errors: ConfigurationError[];
  /** Whether `allowUnknown` would make the configuration valid: all errors are unknown keys. */
  allowUnknownHelps: boolean;
  warnings: ConfigurationWarning[];
  partitions: ConfigurationPartition[];
  /** Depth first, in the order of the text, the root of each partition included. */
  queues: ConfigurationQueue[];
}
