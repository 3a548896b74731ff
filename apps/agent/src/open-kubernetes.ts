import { type CallGuard, KubernetesApi, KubernetesCluster } from '@curtail/agents/kubernetes';
import { InputError } from '@curtail/contracts';
import { type KubernetesSettings, RepeatedWarning, SettingsError } from '@curtail/platform';
import type { Logger } from 'pino';

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
    const variable = error.path === 'context' ? 'CURTAIL_KUBERNETES_CONTEXT' : 'CURTAIL_KUBECONFIG';
    throw new SettingsError([{ variable, wrong: 'names no cluster', remedy: error.message }]);
  }
}

/** Tells each kind of trouble now and then, however often it comes. */
export function troubleLog(log: Logger): (what: string, error: Error) => void {
  const warnings = new Map<string, RepeatedWarning>();
  return (what, error) => {
    const warning = warnings.get(what) ?? new RepeatedWarning(log, `Kubernetes: ${what}.`);
    // Some name a pod: there may be any number of them.
    if (warnings.size < 1000) warnings.set(what, warning);
    warning.say(error);
  };
}

/** The cluster behind an API server, with what the settings say of it. */
export function openCluster(
  settings: KubernetesSettings,
  more: {
    api: KubernetesApi;
    partition: string;
    mode: 'observe' | 'enforce';
    now: () => Date;
    log: Logger;
    onTrouble: (what: string, error: Error) => void;
  },
): KubernetesCluster {
  const { log, ...options } = more;
  return new KubernetesCluster({
    ...options,
    originators: settings.kubernetesOriginators.map((pair) => {
      const [label = '', value = ''] = pair.split('=');
      return { label, value };
    }),
    protectedNamespaces: settings.kubernetesProtected,
    delay: settings.kubernetesDelay,
    onFinding: ({ object, field, message }) =>
      log.warn(`${object.kind} ${object.namespace}/${object.name}: ${field}: ${message}`),
  });
}
