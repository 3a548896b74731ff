import { readDecreaseSettings } from '#contracts';
import { pickSettings, type SettingsOf } from '#platform';
import { appSettings } from '#runtime';

/** The settings of the timer. */
export const timerSchema = pickSettings(
  appSettings,
  'policy',
  'mode',
  'defaultMode',
  'leaseSeconds',
  'sweepMilliseconds',
  'roundIntervalMilliseconds',
  'deadlineSeconds',
  'reconcileSeconds',
);

/** The settings in the form that the timer uses: durations in milliseconds. */
export function timerSettings(set: SettingsOf<typeof timerSchema>) {
  return {
    policy: readDecreaseSettings(set.policy),
    mode: set.mode,
    defaultMode: set.defaultMode,
    leaseMs: set.leaseSeconds * 1000,
    sweepMs: set.sweepMilliseconds,
    deadlineMs: set.deadlineSeconds * 1000,
    reconcileMs: set.reconcileSeconds * 1000,
    /** Of policies that have no interval in their settings. */
    usualIntervalMs: set.roundIntervalMilliseconds,
  };
}

export type TimerSettings = ReturnType<typeof timerSettings>;
export const TIMER_SETTINGS = Symbol('TimerSettings');
