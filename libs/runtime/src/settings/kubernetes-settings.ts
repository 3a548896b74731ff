import { z } from 'zod';
import { parseDelayDuration } from '#contracts';
import { constant, kindOf, list, oneOf, optionalSetting, type SettingsOf, setting, text } from '#platform';

const delay = kindOf(
  'a duration such as 10m or 1h30m, or 0',
  z.string().superRefine((text, issues) => {
    try {
      parseDelayDuration({ type: 'text', text }, 'CURTAIL_KUBERNETES_DELAY');
    } catch (error) {
      issues.addIssue((error as Error).message);
    }
  }),
);

/** Settings of a process that watches a Kubernetes cluster by itself. */
export const kubernetesSettings = {
  kubeconfig: optionalSetting('CURTAIL_KUBECONFIG', text({ min: 1, max: 4096 }), {
    help: 'The kubeconfig; unset: KUBECONFIG, ~/.kube/config, or the service account of the pod',
  }),
  kubernetesContext: optionalSetting('CURTAIL_KUBERNETES_CONTEXT', text({ min: 1, max: 256 }), {
    help: 'The context of the kubeconfig; unset: its current one',
  }),
  kubernetesQueues: setting('CURTAIL_KUBERNETES_QUEUES', oneOf(['namespaces', 'yunikorn']), {
    default: 'namespaces',
    help: 'Where queues and quotas come from: namespaces with ResourceQuotas, or YuniKorn',
  }),
  yunikornUrl: optionalSetting('CURTAIL_YUNIKORN_URL', text({ min: 1, max: 2048 }), {
    help: 'The REST API of YuniKorn, such as http://yunikorn-service.yunikorn:9080',
  }),
  yunikornNamespace: setting('CURTAIL_YUNIKORN_NAMESPACE', text({ min: 1, max: 63 }), {
    default: 'yunikorn',
    help: 'The namespace of YuniKorn, with the ConfigMap yunikorn-configs',
  }),
  /** YuniKorn reads its configuration from no other: the name is a constant of its own. */
  yunikornConfigMap: constant('yunikorn-configs'),
  kubernetesDelay: setting('CURTAIL_KUBERNETES_DELAY', delay, {
    default: '0',
    help: 'The delay of namespaces without the annotation curtail.io/quota-preemption-delay, such as 10m; 0 enforces nothing there',
  }),
  kubernetesProtected: setting(
    'CURTAIL_KUBERNETES_PROTECTED',
    list({
      of: /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/,
      most: 1000,
      right: 'names of namespaces with commas in between',
    }),
    {
      default: ['curtail'],
      help: "Namespaces whose pods are never evicted, besides kube-system, kube-public, kube-node-lease and Curtail's own",
    },
  ),
  kubernetesOriginators: setting(
    'CURTAIL_KUBERNETES_ORIGINATORS',
    list({
      of: /^[A-Za-z0-9./_-]{1,317}=[A-Za-z0-9._-]{1,63}$/,
      most: 100,
      right: 'labels and their values with commas in between, such as spark-role=driver',
    }),
    {
      default: ['spark-role=driver', 'ray.io/node-type=head', 'training.kubeflow.org/job-role=master'],
      help: 'Labels of the pods on which their whole application depends; they go last',
    },
  ),
};
export type KubernetesSettings = SettingsOf<typeof kubernetesSettings>;
