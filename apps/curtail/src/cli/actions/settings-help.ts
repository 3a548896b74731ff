import { curtailSettingGroups, describeGroups, settingsFile } from '@curtail/platform';

/** Every environment variable of `curtail start`. */
export function settingsHelp(): string {
  const { General, ...others } = curtailSettingGroups;
  const groups = { General: { ...settingsFile, ...General }, ...others };
  return `\nEnvironment variables\n\n${describeGroups(groups)}`;
}
