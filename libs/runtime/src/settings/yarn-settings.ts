import { optionalSetting, type SettingsOf, text, textFile, word } from '#platform';

/** Settings of a process that watches a YARN cluster by itself. */
export const yarnSettings = {
  yarnUrl: optionalSetting('CURTAIL_YARN_URL', text({ min: 1, max: 4096 }), {
    help: 'The REST API of the ResourceManager of YARN, such as http://rm.example:8088; with several managers all addresses, with commas in between',
  }),
  yarnUser: optionalSetting(
    'CURTAIL_YARN_USER',
    word({
      of: /^[A-Za-z0-9._@/-]{1,128}$/,
      right: 'the name of a user, up to 128 of a-z A-Z 0-9 . _ @ / -',
    }),
    { help: 'The user that the agent calls YARN as, an administrator of YARN (yarn.admin.acl); unset: none' },
  ),
  yarnTokenFile: optionalSetting('CURTAIL_YARN_TOKEN_FILE', text({ min: 1, max: 4096 }), {
    help: 'A file with a delegation token of the ResourceManager, sent in place of the user; read again when it changes',
  }),
  yarnCa: optionalSetting('CURTAIL_YARN_CA', textFile('certificates in PEM'), {
    help: 'A file with the certificates of the authority that signed those of the ResourceManagers, in PEM; unset: those of Node.js',
  }),
  yarnSettings: optionalSetting('CURTAIL_YARN_SETTINGS', text({ min: 1, max: 4096 }), {
    help: 'A file in a form of capacity-scheduler.xml with what YARN has no key for, such as delays; read again when it changes',
  }),
};
export type YarnVariables = SettingsOf<typeof yarnSettings>;
