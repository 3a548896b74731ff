import { EvictionAnswers } from '#clusters';
import { isLimitedToObserve } from '#enforcement';
import type { SettingsOf } from '#platform';
import type { Program, ServiceApp } from '#runtime';
import { CarryOutPlans } from './carry-out-plans.js';
import { ExecutorModule } from './executor.module.js';
import { ExecutorService } from './executor.service.js';
import { EXECUTOR_SETTINGS, executorSchema, executorSettings } from './settings/executor-settings.js';

/** @param place.alone no other process executes: runs that a crashed process held can be taken over at once. */
export const executorApp = (
  set: SettingsOf<typeof executorSchema>,
  place = { alone: false },
): ServiceApp => ({
  name: 'executor',
  module: {
    module: ExecutorModule,
    providers: [
      {
        provide: EXECUTOR_SETTINGS,
        useValue: executorSettings(set, place),
      },
    ],
  },
  observesOnly: isLimitedToObserve(set),
  consumers: [CarryOutPlans],
  inventoryConsumers: [EvictionAnswers],
  workers: [ExecutorService],
});

export const executorProgram: Program<typeof executorSchema> = {
  name: 'executor',
  port: 8084,
  settings: executorSchema,
  app: (set) => executorApp(set),
};
