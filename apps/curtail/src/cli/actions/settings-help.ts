import { describeGroups } from '#platform';
import { curtailSettingGroups, settingsFile } from '#runtime';

/** Every environment variable of `curtail start`. */
export function settingsHelp(): string {
  const { General, ...others } = curtailSettingGroups;
  const groups = { General: { ...settingsFile, ...General }, ...others };
  return `\nEnvironment variables\n\n${describeGroups(groups)}`;
}
