import { type QuotaDecreaseSettings, readDecreaseSettings } from '#contracts';
import type { TimerSettings } from '../src/settings/timer-settings.js';

/** The settings of a timer in a test: the intervals are so long that none of them ends. */
export const timerSettings = (policy: QuotaDecreaseSettings = {}): TimerSettings => ({
  policy: readDecreaseSettings(policy),
  mode: undefined,
  defaultMode: 'enforce',
  leaseMs: 60_000,
  sweepMs: 1000,
  deadlineMs: 86_400_000,
  reconcileMs: 60_000,
  usualIntervalMs: 5000,
});
