import { z } from 'zod';
import { parseDelayDuration } from '#contracts';
import { kindOf, optionalSetting, type SettingsOf, text, word } from '#platform';

const delay = kindOf(
  'a duration such as 10m or 1h30m, or 0',
  z.string().superRefine((written, issues) => {
    try {
      parseDelayDuration({ type: 'text', text: written }, 'CURTAIL_YTSAURUS_DELAY');
    } catch (error) {
      issues.addIssue((error as Error).message);
    }
  }),
);

/** Settings of a process that watches a pool tree of YTsaurus by itself. */
export const ytsaurusSettings = {
  ytsaurusUrl: optionalSetting('CURTAIL_YTSAURUS_URL', text({ min: 1, max: 4096 }), {
    help: 'The HTTP API of a proxy of YTsaurus, such as http://yt.example; with several proxies all addresses, with commas in between',
  }),
  ytsaurusTokenFile: optionalSetting('CURTAIL_YTSAURUS_TOKEN_FILE', text({ min: 1, max: 4096 }), {
    help: 'A file with the OAuth token that the agent calls YTsaurus with; read again when YTsaurus refuses it; unset: no token',
  }),
  ytsaurusTree: optionalSetting(
    'CURTAIL_YTSAURUS_TREE',
    word({ of: /^[A-Za-z0-9_:-]{1,64}$/, right: 'the name of a pool tree, up to 64 of a-z A-Z 0-9 _ : -' }),
    {
      help: 'The pool tree, whose name is also that of its partition; unset: the default tree of the cluster',
    },
  ),
  ytsaurusDelay: optionalSetting('CURTAIL_YTSAURUS_DELAY', delay, {
    help: 'The delay after which a lowered resource_limits of a pool is enforced; unset or 0: at once, as YTsaurus does',
  }),
};
export type YtsaurusVariables = SettingsOf<typeof ytsaurusSettings>;
