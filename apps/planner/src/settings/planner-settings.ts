import { type SettingsOf, someOf, valuesOf } from '@curtail/platform';
import { appSettings } from '@curtail/runtime';

/** The settings of the planner. */
export const plannerSchema = someOf(
  appSettings,
  'policy',
  'snapshotRetentionDays',
  'defaultMode',
  'leaseSeconds',
  'mostAllocations',
  'mostVictims',
);

/** The settings in the form that the planner uses. */
export function plannerSettings(set: SettingsOf<typeof plannerSchema>) {
  const { leaseSeconds, ...rest } = valuesOf(plannerSchema, set);
  return { ...rest, leaseMs: leaseSeconds * 1000 };
}

export type PlannerSettings = ReturnType<typeof plannerSettings>;
export const PLANNER_SETTINGS = Symbol('PlannerSettings');
