import { CLUSTER_DRIVER, CLUSTER_READER, SimulatedCluster, SimulatedClusterModule } from '@curtail/clusters';
import { readSettings } from '@curtail/contracts';
import { type CurtailSettings, type Runtime, runtimeModule } from '@curtail/platform';
import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { ConfigIngestModule } from '../../../config-ingest/src/config-ingest.module.js';
import { INGEST_SETTINGS } from '../../../config-ingest/src/ingest-settings.js';
import { ConsoleModule } from '../../../console/src/console.module.js';
import { ExecutorModule } from '../../../executor/src/executor.module.js';
import { EXECUTOR_SETTINGS } from '../../../executor/src/executor-settings.js';
import { PlannerModule } from '../../../planner/src/planner.module.js';
import { PLANNER_SETTINGS } from '../../../planner/src/planner-settings.js';
import { TimerModule } from '../../../timer/src/timer.module.js';
import { TIMER_SETTINGS } from '../../../timer/src/timer-settings.js';

@Module({})
class AllInOneModule {}

/** Every app in one process, on one database, with the simulated cluster. */
export function allInOneModule(runtime: Runtime, settings: CurtailSettings): DynamicModule {
  const policy = readSettings(settings.policy);
  const shared: Provider[] = [
    { provide: CLUSTER_DRIVER, useExisting: SimulatedCluster },
    { provide: CLUSTER_READER, useExisting: SimulatedCluster },
    { provide: INGEST_SETTINGS, useValue: { policy } },
    {
      provide: TIMER_SETTINGS,
      useValue: { policy, leaseMs: settings.leaseSeconds * 1000, sweepMs: settings.sweepMilliseconds },
    },
    {
      provide: PLANNER_SETTINGS,
      useValue: {
        policy: settings.policy,
        snapshotRetentionDays: settings.snapshotRetentionDays,
        defaultMode: settings.defaultMode,
      },
    },
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
        alone: true,
        leaseMs: settings.leaseSeconds * 1000,
      },
    },
  ];
  return {
    module: AllInOneModule,
    imports: [
      runtimeModule(runtime, shared, [SimulatedClusterModule]),
      ConfigIngestModule,
      TimerModule,
      PlannerModule,
      ExecutorModule,
      ConsoleModule,
    ],
  };
}
