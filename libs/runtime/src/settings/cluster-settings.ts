import { z } from 'zod';
import { parseDelayDuration } from '#contracts';
import {
  constant,
  kindOf,
  oneOf,
  optionalSetting,
  type SettingsOf,
  setting,
  text,
  textFile,
  wholeNumber,
  word,
} from '#platform';

/** Kinds of clusters with real work that agents of Curtail watch: in one process with it, or in their own over Kafka. */
export const watchedKinds = ['kubernetes', 'yarn', 'ytsaurus'] as const;
export type WatchedKind = (typeof watchedKinds)[number];
export const isWatchedKind = (cluster: string | undefined): cluster is WatchedKind =>
  (watchedKinds as readonly (string | undefined)[]).includes(cluster);

export const clusterSettings = {
  cluster: setting('CURTAIL_CLUSTER', oneOf(['simulated', 'inventory', ...watchedKinds]), {
    default: 'simulated',
    help: 'The cluster to enforce quotas in. inventory: reported over Kafka by a scheduler, which also evicts on request; kubernetes, yarn, ytsaurus: one that this process watches itself',
  }),
  inventoryStaleSeconds: setting('CURTAIL_INVENTORY_STALE_SECONDS', wholeNumber({ min: 5, max: 86_400 }), {
    default: 60,
    help: 'Seconds without a report after which nothing is planned or evicted in a partition',
  }),
  /** For a scheduler to answer an eviction request; one that does not is asked again later. */
  inventoryAnswerSeconds: constant(5),
};
export type ClusterSettings = SettingsOf<typeof clusterSettings>;

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
    secret: 'file',
  }),
  yarnCa: optionalSetting('CURTAIL_YARN_CA', textFile('certificates in PEM'), {
    help: 'A file with the certificates of the authority that signed those of the ResourceManagers, in PEM; unset: those of Node.js',
  }),
  yarnSettings: optionalSetting('CURTAIL_YARN_SETTINGS', text({ min: 1, max: 4096 }), {
    help: 'A file in a form of capacity-scheduler.xml with what YARN has no key for, such as delays; read again when it changes',
  }),
};
export type YarnVariables = SettingsOf<typeof yarnSettings>;

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
    secret: 'file',
  }),
  ytsaurusCa: optionalSetting('CURTAIL_YTSAURUS_CA', textFile('certificates in PEM'), {
    help: 'A file with the certificates of the authority that signed those of the proxies, in PEM; unset: those of Node.js',
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
