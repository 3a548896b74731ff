import { type SettingsOf, someOf } from '@curtail/platform';
import { appSettings, type Program, type ServiceApp } from '@curtail/runtime';
import { PlanEnforcements } from './plan-enforcements.js';
import { PlannerModule } from './planner.module.js';
import { PLANNER_SETTINGS } from './planner-settings.js';
import { PlanRounds } from './rounds/plan-rounds.js';

const settings = someOf(
  appSettings,
  'policy',
  'snapshotRetentionDays',
  'defaultMode',
  'leaseSeconds',
  'mostAllocations',
  'mostVictims',
);

export const plannerApp = (set: SettingsOf<typeof settings>): ServiceApp => ({
  name: 'planner',
  module: {
    module: PlannerModule,
    providers: [
      {
        provide: PLANNER_SETTINGS,
        useValue: {
          policy: set.policy,
          snapshotRetentionDays: set.snapshotRetentionDays,
          defaultMode: set.defaultMode,
          leaseMs: set.leaseSeconds * 1000,
          mostAllocations: set.mostAllocations,
          mostVictims: set.mostVictims,
        },
      },
    ],
  },
  consumers: [PlanEnforcements],
  workers: [PlanRounds],
});

export const plannerProgram: Program<typeof settings> = {
  name: 'planner',
  port: 8083,
  settings,
  app: plannerApp,
};
