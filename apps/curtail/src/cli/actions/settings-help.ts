import { curtailSettings, describeSettings } from '@curtail/platform';

/** Every environment variable of `curtail start`. */
export function settingsHelp(): string {
  const lines = describeSettings(curtailSettings);
  const meaningAt = lines.search(/(?<=\S {2,})\S/);
  const file = '  CURTAIL_SETTINGS'.padEnd(meaningAt);
  return `\nEnvironment variables:\n${lines}\n${file}A file of NAME=value lines (optional)`;
}
