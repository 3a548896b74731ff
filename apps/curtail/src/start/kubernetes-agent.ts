import { Agent, type AgentTransport, InProcessTransport, PartitionAgents, Sequence } from '@curtail/agents';
import {
  allowPreemptionAnnotation,
  KubernetesApi,
  KubernetesCluster,
  NamespaceSource,
  type QueueSource,
  type SharedWatches,
  YunikornApi,
  YunikornSource,
} from '@curtail/agents/kubernetes';
import { EvictionAnswers, InventoryReports } from '@curtail/clusters';
import { InputError } from '@curtail/contracts';
import {
  type CurtailSettings,
  RepeatedWarning,
  type Runtime,
  SettingsError,
  type Shutdown,
} from '@curtail/platform';
import type { INestApplicationContext } from '@nestjs/common';
import type { Logger } from 'pino';
import { TakeSubmissions } from '../../../config-ingest/src/take-submissions.js';

const partition = 'default';

/**
 * The agent of a cluster, in the process that enforces its quotas.
 *
 * @throws SettingsError if the kubeconfig names no cluster, or YuniKorn's address is none.
 */
export function kubernetesAgent(
  settings: CurtailSettings,
  { app, runtime, log }: { app: INestApplicationContext; runtime: Runtime; log: Logger },
): PartitionAgents {
  const api = openApi(settings);
  log.info({ server: api.server.href, context: api.context }, `Kubernetes is watched at ${api.server.href}.`);
  const warnings = new Map<string, RepeatedWarning>();
  const onTrouble = (what: string, error: Error) => {
    const warning = warnings.get(what) ?? new RepeatedWarning(log, `Kubernetes: ${what}.`);
    warnings.set(what, warning);
    warning.say(error);
  };
  const cluster = new KubernetesCluster({
    api,
    queues: queueSource(settings),
    annotations: [allowPreemptionAnnotation],
    originators: settings.kubernetesOriginators.map((pair) => {
      const [label = '', value = ''] = pair.split('=');
      return { label, value };
    }),
    protectedNamespaces: settings.kubernetesProtected,
    now: () => runtime.clock.now(),
    onTrouble,
    onFinding: ({ object, field, message }) =>
      log.warn(`${object.kind} ${object.namespace}/${object.name}: ${field}: ${message}`),
  });
  const transport = new InProcessTransport(
    runtime.database,
    {
      inventory: app.get(InventoryReports, { strict: false }),
      answers: app.get(EvictionAnswers, { strict: false }),
      submissions: app.get(TakeSubmissions, { strict: false }),
    },
    () => runtime.clock.now(),
  );
  runtime.bus.subscribe(transport);
  const agentOf = (name: string, way: AgentTransport) => {
    const view = cluster.partition(name);
    return new Agent({
      partition: name,
      reports: view,
      configuration: view,
      evictor: cluster.evictor,
      transport: way,
      sequence: new Sequence(runtime.clock.now().getTime()),
      now: () => runtime.clock.now().getTime(),
      onTrouble,
    });
  };
  return new PartitionAgents(cluster, transport, agentOf, onTrouble);
}

/** In the background: an API server that is away is waited for. */
export function runAgent(
  agent: PartitionAgents,
  { log, shutdown }: { log: Logger; shutdown: Shutdown },
): void {
  agent.start().then(
    () => log.info('Kubernetes is known: pods, nodes, queues and quotas are reported.'),
    (error: Error) => log.error({ err: error }, 'The agent of Kubernetes could not be started.'),
  );
  shutdown.register('workers', 'the agent', () => agent.stop());
}

function queueSource(settings: CurtailSettings): (shared: SharedWatches) => QueueSource {
  if (settings.kubernetesQueues === 'namespaces') {
    return (shared) => new NamespaceSource(shared, { partition, delay: settings.kubernetesDelay });
  }
  const api = openYunikorn(settings);
  const { yunikornNamespace: namespace, yunikornConfigMap: configMap } = settings;
  return (shared) => new YunikornSource(shared, { api, namespace, configMap });
}

function openYunikorn({ yunikornUrl }: CurtailSettings): YunikornApi {
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
    throw new SettingsError([{ variable, wrong: 'is no address', remedy: error.message }]);
  }
}

function openApi({ kubeconfig, kubernetesContext }: CurtailSettings): KubernetesApi {
  try {
    return KubernetesApi.open({ kubeconfig, context: kubernetesContext });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const variable = error.path === 'context' ? 'CURTAIL_KUBERNETES_CONTEXT' : 'CURTAIL_KUBECONFIG';
    throw new SettingsError([{ variable, wrong: 'names no cluster', remedy: error.message }]);
  }
}
