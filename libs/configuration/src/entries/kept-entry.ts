import type { WarningCode } from '#contracts/api';
import type { Bounds } from '../rules.js';

/**
 * What is kept of the entry of a queue, to read the next text that differs in a few entries. There may be a hundred thousand, so nothing is kept
 * that its text says: lengths instead of texts and offsets.
 */
export interface KeptEntry {
  name: string;
  /** Of its text, with everything below it. */
  length: number;
  /** The share of victims that it sets, in percent; absent: none. */
  share?: number;
  /** 0: none. */
  maxApplications: number;
  /** What `checkSum` returned for it; absent: nothing. */
  guaranteed?: [type: string, amount: bigint][];
  /** Absent: none of its own. */
  warnings?: EntryWarning[];
  totals: Totals;
  /** Absent: it has no list of queues. */
  below?: Below;
}

/** Sums over a queue and everything below it. */
export interface Totals {
  queues: number;
  /** Values of the configuration. */
  values: number;
  freezes: number;
  warnings: number;
  /** Queues with a max, and those of them with a delay. */
  limited: number;
  delayed: number;
}

/** The queues below a queue. */
export interface Below {
  /** Where its own text goes on in two parts: up to the list and from its end on. */
  head: number;
  tail: number;
  /** What the queues below depend on. */
  path: string;
  limit: Bounds;
  delay: bigint;
  /** The length of what is before each of them, then behind the last one. */
  gaps: number[];
  entries: KeptEntry[];
}

/** In which order a whole reading finds warnings. */
export const phases = ['reading', 'rules', 'sums', 'effect', 'types', 'templates', 'delays'] as const;
export type Phase = (typeof phases)[number];

export interface EntryWarning {
  phase: Phase;
  code: WarningCode;
  /** Behind the path of the entry, with the separator. */
  path: string;
  message: string;
  /** In its own text without the list of queues; absent in a JSON value, which has no places. */
  offset?: number;
}
