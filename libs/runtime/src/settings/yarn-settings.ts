import { optionalSetting, type SettingsOf, text, word } from '#platform';

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
  yarnSettings: optionalSetting('CURTAIL_YARN_SETTINGS', text({ min: 1, max: 4096 }), {
    help: 'A file in a form of capacity-scheduler.xml with what YARN has no key for, such as delays; read again when it changes',
  }),
};
export type YarnVariables = SettingsOf<typeof yarnSettings>;
