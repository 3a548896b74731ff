import type { Logger } from 'pino';
import {
  allowPreemptionAnnotation,
  type CallGuard,
  KubernetesApi,
  KubernetesCluster,
  NamespaceSource,
  placeOfObject,
  podNamespace,
  protectedNamespaces,
  type QueueSource,
  type SharedWatches,
  YunikornApi,
  YunikornSource,
} from '#agents/kubernetes';
import { InputError } from '#contracts';
import { RepeatedWarning, SettingsError } from '#platform';
import type { KubernetesSettings } from '#runtime';

/**
 * The API server of the kubeconfig.
 *
 * @throws SettingsError if it names no cluster.
 */
export function openApi(
  { kubeconfig, kubernetesContext }: Pick<KubernetesSettings, 'kubeconfig' | 'kubernetesContext'>,
  guard: CallGuard,
): KubernetesApi {
  try {
    return KubernetesApi.open({ kubeconfig, context: kubernetesContext }, guard);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    if (error.path === 'context') {
      const variable = 'CURTAIL_KUBERNETES_CONTEXT';
      throw new SettingsError([{ variable, wrong: 'names no cluster', remedy: error.message }]);
    }
    const variable = kubeconfig === undefined ? 'KUBECONFIG' : 'CURTAIL_KUBECONFIG';
    throw new SettingsError([{ variable, wrong: 'cannot be used', remedy: error.message }]);
  }
}

/** Logs each kind of trouble at intervals, however often it occurs. */
export function troubleLog(log: Logger): (what: string, error: Error) => void {
  const warnings = new Map<string, RepeatedWarning>();
  return (what, error) => {
    const warning = warnings.get(what) ?? new RepeatedWarning(log, `${what}.`);
    // Some texts name a pod, so their number has a limit.
    if (warnings.size < 1000) warnings.set(what, warning);
    warning.warn(error);
  };
}

/**
 * The cluster behind an API server, as configured by the settings.
 *
 * @param more.partition the partition of namespaces; YuniKorn has its own partitions.
 * @throws SettingsError if YuniKorn's address is invalid, or is given for queues of namespaces.
 */
export function openCluster(
  settings: KubernetesSettings & { lease?: { namespace?: string | undefined } | undefined },
  more: {
    api: KubernetesApi;
    partition: string;
    mode: () => 'observe' | 'enforce';
    writesFindingEvents?: boolean;
    now: () => Date;
    log: Logger;
    onTrouble: (what: string, error: Error) => void;
  },
): KubernetesCluster {
  const { log, partition, ...options } = more;
  return new KubernetesCluster({
    ...options,
    queues: queueSource(settings, partition),
    annotations: [allowPreemptionAnnotation],
    originators: settings.kubernetesOriginators.map((pair) => {
      const [label = '', value = ''] = pair.split('=');
      return { label, value };
    }),
    protectedNamespaces: protectedNamespaces(settings.kubernetesProtected, [
      settings.lease?.namespace,
      podNamespace(),
    ]),
    onFinding: ({ object, field, message }) =>
      log.warn({ object: placeOfObject(object), field }, `${placeOfObject(object)}: ${field}: ${message}.`),
  });
}

/** @throws SettingsError if YuniKorn's address is missing, invalid, or given for queues of namespaces. */
export function assertQueueSource(settings: KubernetesSettings): void {
  if (settings.kubernetesQueues === 'namespaces') refuseYunikorn(settings);
  else openYunikorn(settings);
}

function queueSource(
  settings: KubernetesSettings,
  partition: string,
): (shared: SharedWatches) => QueueSource {
  if (settings.kubernetesQueues === 'namespaces') {
    refuseYunikorn(settings);
    return (shared) => new NamespaceSource(shared, { partition, delay: settings.kubernetesDelay });
  }
  const api = openYunikorn(settings);
  const { yunikornNamespace: namespace, yunikornConfigMap: configMap } = settings;
  return (shared) => new YunikornSource(shared, { api, namespace, configMap });
}

/** Who gives the address wants YuniKorn's queues; those of the namespaces would be other work, with other quotas. */
function refuseYunikorn({ yunikornUrl }: KubernetesSettings): void {
  if (yunikornUrl === undefined) return;
  throw new SettingsError([
    {
      variable: 'CURTAIL_YUNIKORN_URL',
      wrong: 'is set, but queues come from namespaces',
      remedy: 'take them from YuniKorn (--queues yunikorn, CURTAIL_KUBERNETES_QUEUES=yunikorn), or remove it',
    },
  ]);
}

/** @throws SettingsError if the address is missing or invalid. */
export function openYunikorn({ yunikornUrl }: KubernetesSettings): YunikornApi {
  const variable = 'CURTAIL_YUNIKORN_URL';
  if (yunikornUrl === undefined) {
    const remedy =
      'give --yunikorn-url http://yunikorn-service.yunikorn:9080, or from outside the cluster: ' +
      'kubectl -n yunikorn port-forward service/yunikorn-service 9080, and --yunikorn-url http://127.0.0.1:9080';
    throw new SettingsError([{ variable, wrong: 'is missing: queues come from YuniKorn', remedy }]);
  }
  try {
    return YunikornApi.open(yunikornUrl);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new SettingsError([{ variable, wrong: 'is not an address', remedy: error.message }]);
  }
}

/**
 * The clock of this machine: an agent has no database. Curtail measures its error, and keeps requests open for longer accordingly. The
 * choice of the active agent does not depend on it.
 */
export const machineNow = (): Date => new Date();

/** One sentence for each file of KUBECONFIG that does not exist. Such files are ignored, as kubectl does. */
export function missingKubeconfigs({ missingFiles }: Pick<KubernetesApi, 'missingFiles'>): string[] {
  return missingFiles.map((file) => `KUBECONFIG names ${file}, which does not exist`);
}
