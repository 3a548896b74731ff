import type { WhatIf } from '#api-client';
import type { ConfigurationFormat } from '#contracts';

export interface WhatIfOptions {
  /** Files and folders, `-` for standard input. */
  file?: string[];
  format?: ConfigurationFormat;
  /** Beside each file that is a capacity-scheduler.xml. */
  yarnSite?: string;
  allowUnknown?: boolean;
  queue?: string;
  /** Words of quotas: `memory=120G`, or `root.research` before it. */
  max?: string[];
  /** In seconds, for queues that have none. */
  delay?: number;
  /** A state dump to compare with, in the place of a server. */
  statedump?: string;
  allowDifference?: boolean;
  partition: string;
}

/** What the alternatives come to, and what has been said of them. */
export interface Compared {
  answer: WhatIf;
  /** For programs: the answer, and what it was made from. */
  value: unknown;
  report(): void;
}
