import { SettingsError } from '#platform';
import { shellWord } from '../terminal/called.js';
import { CommandError } from '../terminal/errors.js';
import type { Terminal } from '../terminal/terminal.js';

/** An option that sets a setting, with its value if given. */
export interface OptionSetting {
  /** `--context` */
  option: string;
  /** `CURTAIL_KUBERNETES_CONTEXT` */
  variable: string;
  value: string | undefined;
}

/** The environment, overridden by options. */
export function withOptionSettings(env: Terminal['env'], options: readonly OptionSetting[]): Terminal['env'] {
  return {
    ...env,
    ...Object.fromEntries(
      given(options).flatMap(({ variable, value }) => [
        [variable, value],
        // A secret that is given replaces the file with it.
        [`${variable}_FILE`, undefined],
      ]),
    ),
  };
}

/** The given options as a person writes them: ` --context lab`, or an empty text. */
export function optionWords(options: readonly OptionSetting[]): string {
  return given(options)
    .map(({ option, value = '' }) => ` ${option} ${shellWord(value)}`)
    .join('');
}

/** Invalid settings, one per line, each under the name that the caller used: option or variable. */
export function settingsRefused(
  { problems }: SettingsError,
  options: readonly OptionSetting[],
  next?: string,
): CommandError {
  const nameOf = (variable: string) =>
    given(options).find((one) => one.variable === variable)?.option ?? variable;
  const named = problems.map((problem) => ({ ...problem, variable: nameOf(problem.variable) }));
  const { sentence, list } = new SettingsError(named);
  return new CommandError(sentence, { list: [...list], ...(next !== undefined && { next }) });
}

const given = (options: readonly OptionSetting[]) => options.filter(({ value }) => value !== undefined);

/** The options of `withClusterOptions`. */
export interface ClusterOptions {
  mode?: 'observe' | 'enforce';
  cluster?: string;
  kubeconfig?: string;
  context?: string;
  queues?: string;
  yunikornUrl?: string;
  yarnUrl?: string;
  yarnUser?: string;
  yarnSettings?: string;
  ytsaurusUrl?: string;
  ytsaurusTokenFile?: string;
  ytsaurusTree?: string;
  ytsaurusDelay?: string;
  settings?: string;
}

/** The options that kubectl has as well. */
export const kubectlSettings = ({ kubeconfig, context }: ClusterOptions): OptionSetting[] => [
  { option: '--kubeconfig', variable: 'CURTAIL_KUBECONFIG', value: kubeconfig },
  { option: '--context', variable: 'CURTAIL_KUBERNETES_CONTEXT', value: context },
];

/** All of them, as settings. */
export const clusterOptionSettings = (options: ClusterOptions): OptionSetting[] => [
  { option: '--mode', variable: 'CURTAIL_MODE', value: options.mode },
  { option: '--settings', variable: 'CURTAIL_SETTINGS', value: options.settings },
  { option: '--cluster', variable: 'CURTAIL_CLUSTER', value: options.cluster },
  ...kubectlSettings(options),
  { option: '--queues', variable: 'CURTAIL_KUBERNETES_QUEUES', value: options.queues },
  { option: '--yunikorn-url', variable: 'CURTAIL_YUNIKORN_URL', value: options.yunikornUrl },
  { option: '--yarn-url', variable: 'CURTAIL_YARN_URL', value: options.yarnUrl },
  { option: '--yarn-user', variable: 'CURTAIL_YARN_USER', value: options.yarnUser },
  { option: '--yarn-settings', variable: 'CURTAIL_YARN_SETTINGS', value: options.yarnSettings },
  { option: '--ytsaurus-url', variable: 'CURTAIL_YTSAURUS_URL', value: options.ytsaurusUrl },
  {
    option: '--ytsaurus-token-file',
    variable: 'CURTAIL_YTSAURUS_TOKEN_FILE',
    value: options.ytsaurusTokenFile,
  },
  { option: '--ytsaurus-tree', variable: 'CURTAIL_YTSAURUS_TREE', value: options.ytsaurusTree },
  { option: '--ytsaurus-delay', variable: 'CURTAIL_YTSAURUS_DELAY', value: options.ytsaurusDelay },
];
