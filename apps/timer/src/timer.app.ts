import { Module } from '@nestjs/common';
import type { SettingsOf } from '#platform';
import { type Program, redisSettings, type ServiceApp } from '#runtime';
import { ClockEvents } from './clocks/clock-events.js';
import { EndLeases } from './end-leases.js';
import { KeepClocks } from './keep-clocks.js';
import { CheckClocks } from './reconcile/check-clocks.js';
import { CheckQuotas } from './reconcile/check-quotas.js';
import { FindMissedEvents } from './reconcile/missed-events.js';
import { Reconciler } from './reconcile/reconciler.js';
import { UnblockQueues } from './reconcile/unblock-queues.js';
import { RestartClocks } from './restart-clocks.js';
import { BeginRounds } from './rounds/begin-rounds.js';
import { KeepRoundClocks } from './rounds/keep-round-clocks.js';
import { WakeForOwnClocks } from './rounds/wake-for-own-clocks.js';
import { TIMER_SETTINGS, timerSchema, timerSettings } from './settings/timer-settings.js';
import { StartDueRuns } from './start-due-runs.js';
import { TimerService } from './timer.service.js';
import { WakeUps } from './wake-ups/wake-ups.js';

/** Runs the delay clocks of queues, restarts them on changes, and starts one run per queue. */
@Module({
  controllers: [KeepClocks, WakeForOwnClocks],
  providers: [
    WakeUps,
    BeginRounds,
    ClockEvents,
    CheckClocks,
    CheckQuotas,
    UnblockQueues,
    EndLeases,
    FindMissedEvents,
    KeepRoundClocks,
    StartDueRuns,
    Reconciler,
    RestartClocks,
    TimerService,
  ],
  exports: [Reconciler, TimerService],
})
class TimerModule {}

export const timerApp = (set: SettingsOf<typeof timerSchema>): ServiceApp => ({
  name: 'timer',
  module: {
    module: TimerModule,
    providers: [
      {
        provide: TIMER_SETTINGS,
        useValue: timerSettings(set),
      },
    ],
  },
  workers: [TimerService, Reconciler],
  usesWakeUpQueue: true,
});

const all = { ...redisSettings, ...timerSchema };
export const timerProgram: Program<typeof all> = { name: 'timer', port: 8082, settings: all, app: timerApp };
