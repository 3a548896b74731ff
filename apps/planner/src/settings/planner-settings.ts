import { pickSettings, type SettingsOf, valuesOf } from '#platform';
import { appSettings, mostVictimsOf } from '#runtime';

const planning = pickSettings(
  appSettings,
  'policy',
  'snapshotRetentionDays',
  'mode',
  'defaultMode',
  'leaseSeconds',
  'mostAllocations',
);
const foresight = pickSettings(
  appSettings,
  'policy',
  'mode',
  'defaultMode',
  'mostAllocations',
  'approveAboveVictims',
  'approveAbovePercent',
  'foresight',
  'foresightSeconds',
  'foresightLeastSeconds',
);

/** The settings of the planner. */
export const plannerSchema = { ...planning, ...foresight };

/** The settings of runs and rounds, in the form that the planner uses. */
export function plannerSettings(set: SettingsOf<typeof planning>) {
  const { leaseSeconds, ...rest } = valuesOf(planning, set);
  return { ...rest, mostVictims: mostVictimsOf(rest.mostAllocations), leaseMs: leaseSeconds * 1000 };
}

export type PlannerSettings = ReturnType<typeof plannerSettings>;
export const PLANNER_SETTINGS = Symbol('PlannerSettings');

/** The settings of advance notice. */
export const foresightSettings = (set: SettingsOf<typeof foresight>) => ({
  ...valuesOf(foresight, set),
  mostVictims: mostVictimsOf(set.mostAllocations),
});

export type ForesightSettings = ReturnType<typeof foresightSettings>;
export const FORESIGHT_SETTINGS = Symbol('ForesightSettings');
