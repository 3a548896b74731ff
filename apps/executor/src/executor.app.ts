import type { CurtailSettings, ServiceApp } from '@curtail/platform';
import { CarryOutPlans } from './carry-out-plans.js';
import { ExecutorModule } from './executor.module.js';
import { ExecutorService } from './executor.service.js';
import { EXECUTOR_SETTINGS } from './executor-settings.js';

/** @param place.alone no other process executes: what a dead one held can be taken over at once. */
export const executorApp = (settings: CurtailSettings, place = { alone: false }): ServiceApp => ({
  name: 'executor',
  module: {
    module: ExecutorModule,
    providers: [
      {
        provide: EXECUTOR_SETTINGS,
        useValue: {
          defaultMode: settings.defaultMode,
          approveAboveVictims: settings.approveAboveVictims,
          approveAbovePercent: settings.approveAbovePercent,
          victimsPerSecond: settings.victimsPerSecond,
          graceSeconds: settings.graceSeconds,
          deadlineSeconds: settings.deadlineSeconds,
          tries: settings.tries,
          alone: place.alone,
          leaseMs: settings.leaseSeconds * 1000,
        },
      },
    ],
  },
  consumers: [CarryOutPlans],
  workers: [ExecutorService],
});
