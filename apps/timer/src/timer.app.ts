import type { SettingsOf } from '#platform';
import { type Program, redisSettings, type ServiceApp } from '#runtime';
import { Reconciler } from './reconcile/reconciler.js';
import { TIMER_SETTINGS, timerSchema, timerSettings } from './settings/timer-settings.js';
import { TimerModule } from './timer.module.js';
import { TimerService } from './timer.service.js';

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
