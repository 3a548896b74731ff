import type { ConfigurationFormat } from '#contracts';

export interface PlanOptions {
  input?: string;
  batch?: string;
  statedump?: string;
  /** Configurations to try against the dump. */
  file?: string[];
  format?: ConfigurationFormat;
  allowUnknown?: boolean;
  /** Words of quotas to try: `root.research`, `memory=120G`. */
  max?: string[];
  /** In seconds. */
  delay?: number;
  allowDifference?: boolean;
  queue?: string;
  partition?: string;
  explain?: boolean;
}
