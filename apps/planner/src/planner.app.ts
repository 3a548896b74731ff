import type { CurtailSettings, ServiceApp } from '@curtail/platform';
import { PlanEnforcements } from './plan-enforcements.js';
import { PlannerModule } from './planner.module.js';
import { PLANNER_SETTINGS } from './planner-settings.js';

export const plannerApp = (settings: CurtailSettings): ServiceApp => ({
  name: 'planner',
  module: {
    module: PlannerModule,
    providers: [
      {
        provide: PLANNER_SETTINGS,
        useValue: {
          policy: settings.policy,
          snapshotRetentionDays: settings.snapshotRetentionDays,
          defaultMode: settings.defaultMode,
        },
      },
    ],
  },
  consumers: [PlanEnforcements],
});
