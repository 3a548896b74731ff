import type { ReadSettings } from '@curtail/contracts';

/** What the timer needs to know besides its ports. */
export interface TimerSettings {
  policy: ReadSettings;
  /** A run whose executor gives no sign of life for so long is given up. */
  leaseMs: number;
  /** How often overdue timers without a ring, and leases, are looked for. */
  sweepMs: number;
  /** How often rounds of fair-share begin in a partition that has the policy. */
  fairShareIntervalMs: number;
}
export const TIMER_SETTINGS = Symbol('TimerSettings');
