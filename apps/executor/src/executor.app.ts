import { Module } from '@nestjs/common';
import { EvictionAnswers } from '#clusters';
import { isLimitedToObserve } from '#enforcement';
import type { SettingsOf } from '#platform';
import type { ClusterSettings, Program, ServiceApp } from '#runtime';
import { FindCareFacts } from './care-facts.js';
import { CarryOut } from './carry-out.js';
import { CarryOutPlans } from './carry-out-plans.js';
import { EvictionGates } from './eviction-gate.js';
import { ExecutorService } from './executor.service.js';
import { GiveUp } from './give-up.js';
import { FindOwnerFacts } from './owner-facts.js';
import { PartitionLimitsOfRuns } from './partition-limits.js';
import { RoundSteps } from './rounds/round-steps.js';
import { ReadRunControl } from './run-control.js';
import { FindQueueFacts, RunFacts } from './run-facts.js';
import { LoadRuns } from './runs/load-runs.js';
import { OpenRuns } from './runs/open-runs.js';
import { RecordTogether } from './runs/record-together.js';
import { SendEvictions } from './send-evictions.js';
import { EXECUTOR_SETTINGS, executorSchema, executorSettings } from './settings/executor-settings.js';
import { TurnsOfRuns } from './turns-of-runs.js';
import { FindVictimFacts } from './victim-facts.js';

/** Carries plans out, safely. The only module with a driver that evicts. */
@Module({
  controllers: [CarryOutPlans],
  providers: [
    CarryOut,
    EvictionGates,
    ExecutorService,
    FindCareFacts,
    FindVictimFacts,
    FindOwnerFacts,
    FindQueueFacts,
    GiveUp,
    LoadRuns,
    OpenRuns,
    PartitionLimitsOfRuns,
    ReadRunControl,
    RecordTogether,
    RoundSteps,
    RunFacts,
    SendEvictions,
    TurnsOfRuns,
  ],
  exports: [ExecutorService],
})
class ExecutorModule {}

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
