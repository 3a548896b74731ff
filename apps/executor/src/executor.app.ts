import { EvictionAnswers } from '@curtail/clusters';
import { type SettingsOf, someOf } from '@curtail/platform';
import { appSettings, type Program, type ServiceApp } from '@curtail/runtime';
import { CarryOutPlans } from './carry-out-plans.js';
import { ExecutorModule } from './executor.module.js';
import { ExecutorService } from './executor.service.js';
import { EXECUTOR_SETTINGS } from './executor-settings.js';

const settings = someOf(
  appSettings,
  'defaultMode',
  'approveAboveVictims',
  'approveAbovePercent',
  'victimsPerSecond',
  'graceSeconds',
  'deadlineSeconds',
  'tries',
  'leaseSeconds',
);

/** @param place.alone no other process executes: what a dead one held can be taken over at once. */
export const executorApp = (set: SettingsOf<typeof settings>, place = { alone: false }): ServiceApp => ({
  name: 'executor',
  module: {
    module: ExecutorModule,
    providers: [
      {
        provide: EXECUTOR_SETTINGS,
        useValue: {
          defaultMode: set.defaultMode,
          approveAboveVictims: set.approveAboveVictims,
          approveAbovePercent: set.approveAbovePercent,
          victimsPerSecond: set.victimsPerSecond,
          graceSeconds: set.graceSeconds,
          deadlineSeconds: set.deadlineSeconds,
          tries: set.tries,
          alone: place.alone,
          leaseMs: set.leaseSeconds * 1000,
        },
      },
    ],
  },
  consumers: [CarryOutPlans],
  inventoryConsumers: [EvictionAnswers],
  workers: [ExecutorService],
});

export const executorProgram: Program<typeof settings> = {
  name: 'executor',
  port: 8084,
  settings,
  app: (set) => executorApp(set),
};
