import type { ReadSettings } from '@curtail/contracts';

/** What the timer needs to know besides its ports. */
export interface TimerSettings {
  policy: ReadSettings;
  /** Of partitions for which none was set. */
  defaultMode: 'observe' | 'enforce';
  /** A run whose executor gives no sign of life for so long is given up. */
  leaseMs: number;
  /** How often to look for overdue timers without a wake-up, and for leases. */
  sweepMs: number;
  /** For so long after the first one, runs that came to nothing are followed by another. */
  deadlineMs: number;
  /** How often what is desired is compared with what is. */
  reconcileMs: number;
  /** How often rounds begin of policies that have no interval in their settings. */
  usualIntervalMs: number;
}
export const TIMER_SETTINGS = Symbol('TimerSettings');
