import type { OptionSetting } from './option-settings.js';

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
  settings?: string;
}

/** The options that kubectl has as well. */
export const kubectlSettings = ({ kubeconfig, context }: ClusterOptions): OptionSetting[] => [
  { option: '--kubeconfig', variable: 'CURTAIL_KUBECONFIG', value: kubeconfig },
  { option: '--context', variable: 'CURTAIL_KUBERNETES_CONTEXT', value: context },
];

/** All of them, as settings. */
export const clusterSettings = (options: ClusterOptions): OptionSetting[] => [
  { option: '--mode', variable: 'CURTAIL_MODE', value: options.mode },
  { option: '--settings', variable: 'CURTAIL_SETTINGS', value: options.settings },
  { option: '--cluster', variable: 'CURTAIL_CLUSTER', value: options.cluster },
  ...kubectlSettings(options),
  { option: '--queues', variable: 'CURTAIL_KUBERNETES_QUEUES', value: options.queues },
  { option: '--yunikorn-url', variable: 'CURTAIL_YUNIKORN_URL', value: options.yunikornUrl },
  { option: '--yarn-url', variable: 'CURTAIL_YARN_URL', value: options.yarnUrl },
  { option: '--yarn-user', variable: 'CURTAIL_YARN_USER', value: options.yarnUser },
  { option: '--yarn-settings', variable: 'CURTAIL_YARN_SETTINGS', value: options.yarnSettings },
];
