import { type PartitionSetting, readDecreaseSettings, settingsOfRuns } from '#contracts';
import { pickSettings, type SettingsOf, valuesOf } from '#platform';
import { appSettings } from '#runtime';

/** Settings of config-ingest. */
export const ingestSchema = pickSettings(
  appSettings,
  'policy',
  'mode',
  'defaultMode',
  ...settingsOfRuns,
  'ceilingPerHour',
  'ceilingPerConfiguration',
  'ceilingClusterPercent',
  'mostAllocations',
  'previewSeconds',
  'previewMegabytes',
);

/**
 * Settings as config-ingest uses them. Previews use those of the executor: they show what a run would wait for, and how long it
 * would take.
 */
export function ingestSettings(set: SettingsOf<typeof ingestSchema>) {
  return { ...valuesOf(ingestSchema, set), policy: readDecreaseSettings(set.policy) };
}

type Read = ReturnType<typeof ingestSettings>;
/** Without a ceiling: there is none. */
export type IngestSettings = Omit<Read, PartitionSetting> &
  Partial<Pick<Read, PartitionSetting & keyof Read>>;
export const INGEST_SETTINGS = Symbol('IngestSettings');
