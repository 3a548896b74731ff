import { readSettings } from '@curtail/contracts';
import type { CurtailSettings, ServiceApp } from '@curtail/platform';
import { KeepClocks } from './keep-clocks.js';
import { TimerModule } from './timer.module.js';
import { TimerService } from './timer.service.js';
import { TIMER_SETTINGS } from './timer-settings.js';

export const timerApp = (settings: CurtailSettings): ServiceApp => ({
  name: 'timer',
  module: {
    module: TimerModule,
    providers: [
      {
        provide: TIMER_SETTINGS,
        useValue: {
          policy: readSettings(settings.policy),
          leaseMs: settings.leaseSeconds * 1000,
          sweepMs: settings.sweepMilliseconds,
        },
      },
    ],
  },
  consumers: [KeepClocks],
  workers: [TimerService],
});
