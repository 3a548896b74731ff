import { EvictionAnswers } from '#clusters';
import { isLimitedToObserve } from '#enforcement';
import type { SettingsOf } from '#platform';
import type { ClusterSettings, Program, ServiceApp } from '#runtime';
import { ExecutorModule } from './executor.module.js';
import { ExecutorService } from './executor.service.js';
import { EXECUTOR_SETTINGS, executorSchema, executorSettings } from './settings/executor-settings.js';

/** @param place.alone no other process executes: runs that a crashed process held can be taken over at once. */
export const executorApp = (
  set: SettingsOf<typeof executorSchema> & Pick<ClusterSettings, 'cluster'>,
  place = { alone: false },
): ServiceApp => ({
  name: 'executor',
  module: {
    module: ExecutorModule,
    // The simulated cluster answers at once.
    controllers: set.cluster === 'simulated' ? [] : [EvictionAnswers],
    providers: [
      {
        provide: EXECUTOR_SETTINGS,
        useValue: executorSettings(set, place),
      },
    ],
  },
  observesOnly: isLimitedToObserve(set),
  workers: [ExecutorService],
});

export const executorProgram: Program<typeof executorSchema> = {
  name: 'executor',
  port: 8084,
  settings: executorSchema,
  app: (set) => executorApp(set),
};
