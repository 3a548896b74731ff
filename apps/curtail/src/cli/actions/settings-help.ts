import { curtailSettings, describeSettings } from '@curtail/platform';

/** Every environment variable of `curtail start`. */
export function settingsHelp(): string {
  return `\nEnvironment variables:\n${describeSettings(curtailSettings)}\n  CURTAIL_SETTINGS  A file of NAME=value lines (optional)`;
}
