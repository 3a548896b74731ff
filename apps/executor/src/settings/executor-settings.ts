import { type PartitionSetting, settingsOfPartitions, settingsOfRuns } from '#contracts';
import { pickSettings, type SettingsOf, valuesOf } from '#platform';
import { appSettings } from '#runtime';

/** The settings of the executor. */
export const executorSchema = pickSettings(
  appSettings,
  'mode',
  'defaultMode',
  ...settingsOfRuns,
  ...settingsOfPartitions,
  'deadlineSeconds',
  'tries',
  'leaseSeconds',
);

/**
 * The settings in the form that the executor uses.
 *
 * @param place.alone no other process executes: runs that a crashed process held can be taken over at once.
 */
export function executorSettings(set: SettingsOf<typeof executorSchema>, { alone }: { alone: boolean }) {
  const { leaseSeconds, ...rest } = valuesOf(executorSchema, set);
  return { ...rest, leaseMs: leaseSeconds * 1000, alone };
}

type Read = ReturnType<typeof executorSettings>;
/** Without a ceiling or a rate of partitions: there is none. */
export type ExecutorSettings = Omit<Read, PartitionSetting> & Partial<Pick<Read, PartitionSetting>>;
export const EXECUTOR_SETTINGS = Symbol('ExecutorSettings');
