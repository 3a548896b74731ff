import { optionalSetting, text } from '#platform';

/** A file with the other settings; listed with them, and read before them. */
export const settingsFile = {
  settingsFile: optionalSetting(
    'CURTAIL_SETTINGS',
    text({ min: 1, max: 4096, right: 'the path of a file of NAME=value lines' }),
    { help: 'File with settings; the environment takes precedence' },
  ),
};
