import { optionalSetting, text } from '@curtail/platform';

/** Where the other settings may stand; listed with them, and read by itself before them. */
export const settingsFile = {
  settingsFile: optionalSetting(
    'CURTAIL_SETTINGS',
    text({ min: 1, max: 4096, right: 'the path of a file of NAME=value lines' }),
    { help: 'File with settings; the environment goes before it' },
  ),
};
