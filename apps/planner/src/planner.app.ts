import { Module } from '@nestjs/common';
import { isLimitedToObserve } from '#enforcement';
import type { SettingsOf } from '#platform';
import type { Program, ServiceApp } from '#runtime';
import { ReadAhead } from './ahead/read-ahead.js';
import { CheckClock } from './foresight/check-clock.js';
import { Foresee } from './foresight/foresee.js';
import { QuietClocks } from './foresight/quiet-clocks.js';
import { PlanRuns } from './plan-runs.js';
import { PlanRound } from './rounds/plan-round.js';
import { PlanRounds } from './rounds/plan-rounds.js';
import {
  FORESIGHT_SETTINGS,
  foresightSettings,
  PLANNER_SETTINGS,
  plannerSchema,
  plannerSettings,
} from './settings/planner-settings.js';

/** Plans runs and rounds: snapshot in, victims out. */
@Module({
  controllers: [PlanRuns],
  providers: [CheckClock, Foresee, PlanRound, PlanRounds, QuietClocks, ReadAhead],
  exports: [Foresee, PlanRounds, ReadAhead],
})
class PlannerModule {}

export const plannerApp = (set: SettingsOf<typeof plannerSchema>): ServiceApp => ({
  name: 'planner',
  module: {
    module: PlannerModule,
    providers: [
      {
        provide: PLANNER_SETTINGS,
        useValue: plannerSettings(set),
      },
      {
        provide: FORESIGHT_SETTINGS,
        useValue: foresightSettings(set),
      },
    ],
  },
  observesOnly: isLimitedToObserve(set),
  workers: [Foresee, PlanRounds, ReadAhead],
});

export const plannerProgram: Program<typeof plannerSchema> = {
  name: 'planner',
  port: 8083,
  settings: plannerSchema,
  app: plannerApp,
};
