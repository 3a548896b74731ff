import { readSettings } from '@curtail/contracts';
import { type SettingsOf, someOf } from '@curtail/platform';
import { appSettings, type Program, redisSettings, type ServiceApp } from '@curtail/runtime';
import { KeepClocks } from './keep-clocks.js';
import { Reconciler } from './reconcile/reconciler.js';
import { WakeForOwnTimers } from './rounds/wake-for-own-timers.js';
import { TimerModule } from './timer.module.js';
import { TimerService } from './timer.service.js';
import { TIMER_SETTINGS } from './timer-settings.js';

const settings = someOf(
  appSettings,
  'policy',
  'defaultMode',
  'leaseSeconds',
  'sweepMilliseconds',
  'fairShareIntervalMilliseconds',
  'deadlineSeconds',
  'reconcileSeconds',
);

export const timerApp = (set: SettingsOf<typeof settings>): ServiceApp => ({
  name: 'timer',
  module: {
    module: TimerModule,
    providers: [
      {
        provide: TIMER_SETTINGS,
        useValue: {
          policy: readSettings(set.policy),
          defaultMode: set.defaultMode,
          leaseMs: set.leaseSeconds * 1000,
          sweepMs: set.sweepMilliseconds,
          usualIntervalMs: set.fairShareIntervalMilliseconds,
          deadlineMs: set.deadlineSeconds * 1000,
          reconcileMs: set.reconcileSeconds * 1000,
        },
      },
    ],
  },
  consumers: [KeepClocks, WakeForOwnTimers],
  workers: [TimerService, Reconciler],
  usesWakeUpQueue: true,
});

const all = { ...redisSettings, ...settings };
export const timerProgram: Program<typeof all> = { name: 'timer', port: 8082, settings: all, app: timerApp };
