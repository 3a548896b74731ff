import { type AgentRole, grantManifest, type KubernetesApi, whoAmI } from '#agents/kubernetes';
import { BrokenInvariant } from '#contracts';
import { probeKafka } from '#messaging/kafka';
import { type KafkaSettings, type KubernetesSettings, kafkaOptions } from '#runtime';
import { machineNow, missingKubeconfigs, openApi, openYunikorn } from '../kubernetes/open-kubernetes.js';
import { type Check, clockCheck, runCheck, skewSeconds } from './check.js';
import { kubernetesChecks } from './kubernetes-checks.js';
import { otherSchedulerChecks } from './other-schedulers.js';
import { namespaceChecks, yunikornChecks } from './queue-checks.js';

const usualNamespace = 'curtail';
const answersWithinMs = 3000;

export interface DoctorOptions {
  settings: KubernetesSettings &
    KafkaSettings & { mode: AgentRole['mode']; lease: string | undefined; namespace: string | undefined };
  /** The address of a running Curtail, and its token. */
  server: string;
  token: string | undefined;
  /** The options that selected the cluster on the command line, such as ` --context lab`: those that kubectl has as well. */
  kubectlOptions: string;
  /** All options of the command line that `start` has as well. */
  startOptions: string;
}

/**
 * Checks everything that Curtail needs to manage a cluster. It only reads.
 *
 * @throws SettingsError if the kubeconfig names no cluster, or settings contradict each other.
 */
export async function examine({
  settings,
  server,
  token,
  kubectlOptions,
  startOptions,
}: DoctorOptions): Promise<Check[]> {
  const { kubernetesQueues: queues } = settings;
  const api = openApi(settings, onlyReads);
  const role: AgentRole = { mode: settings.mode, queues, lease: settings.lease !== undefined };
  const agent = agentNamespace(settings, api);
  try {
    const namespaces = { agent, scheduler: settings.yunikornNamespace };
    const cluster = await kubernetesChecks(api, role, namespaces, kubectlOptions);
    const isThere = cluster[0]?.status !== 'problem';
    const others = await Promise.all([
      queues === 'yunikorn'
        ? runCheck('YuniKorn', () => yunikornChecks(openYunikorn(settings)), [
            `From outside the cluster: kubectl -n ${settings.yunikornNamespace} port-forward service/yunikorn-service 9080`,
          ])
        : isThere
          ? checksWithoutYunikorn(api, settings.kubernetesDelay, kubectlOptions)
          : [],
      runCheck('Kafka', () => kafkaCheck(settings), [
        `Check that the brokers run and that this machine can reach them: KAFKA_BROKERS is ${settings.kafkaBrokers}`,
      ]),
      runCheck('Curtail', () => curtailChecks(server, token, startOptions)),
    ]);
    const missing = missingKubeconfigs(api).map(
      (message): Check => ({ name: 'kubeconfig', status: 'note', message }),
    );
    return [...missing, ...cluster, ...others.flat()];
  } finally {
    api.close();
  }
}

/**
 * The manifest with every right that the agent needs in its mode, for the user of the kubeconfig.
 *
 * @throws SettingsError if the kubeconfig names no cluster; Error if the API server does not name the user.
 */
export async function manifestOf({ settings }: Pick<DoctorOptions, 'settings'>): Promise<string> {
  const api = openApi(settings, onlyReads);
  try {
    const { mode, kubernetesQueues: queues, yunikornNamespace: scheduler } = settings;
    const namespaces = { agent: agentNamespace(settings, api), scheduler };
    const role: AgentRole = { mode, queues, lease: settings.lease !== undefined };
    return grantManifest(role, namespaces, await whoAmI(api));
  } finally {
    api.close();
  }
}

const agentNamespace = ({ namespace }: DoctorOptions['settings'], api: KubernetesApi): string =>
  namespace ?? api.namespace ?? usualNamespace;

async function checksWithoutYunikorn(api: KubernetesApi, delay: string, options: string): Promise<Check[]> {
  const found = await Promise.all([
    runCheck('quotas', () => namespaceChecks(api, delay)),
    runCheck('other schedulers', () => otherSchedulerChecks(api, options)),
  ]);
  return found.flat();
}

/** Reviews of the user's own permissions use POST, but change nothing. */
function onlyReads(method: string, path: string): void {
  if (method !== 'GET' && !/\/selfsubject(access)?reviews$/.test(path)) {
    throw new BrokenInvariant(`${method} ${path} could change something`);
  }
}

async function kafkaCheck(settings: KafkaSettings): Promise<Check> {
  const name = 'Kafka';
  const options = kafkaOptions(settings, 'curtail-doctor');
  if (options === undefined) {
    return { name, status: 'note', message: 'KAFKA_BROKERS is not set: everything runs in one process' };
  }
  await probeKafka(options);
  return { name, status: 'ok', message: `answers at ${options.brokers.join(', ')}` };
}

async function curtailChecks(
  server: string,
  token: string | undefined,
  startOptions: string,
): Promise<Check[]> {
  const name = 'Curtail';
  const from = machineNow().getTime();
  let response: Response;
  try {
    response = await fetch(new URL('/readyz', server), {
      redirect: 'manual',
      signal: AbortSignal.timeout(answersWithinMs),
      ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
    });
  } catch {
    const message = `no server answers at ${server}`;
    const remedy = [
      `Start it: curtail start --cluster kubernetes${startOptions}`,
      'Or give its address: --server URL',
    ];
    return [{ name, status: 'note', message, remedy }];
  }
  const to = machineNow().getTime();
  const text = (await response.text()).slice(0, 1000);
  const date = response.headers.get('date');
  return [
    response.ok
      ? { name, status: 'ok', message: `is ready at ${server}` }
      : {
          name,
          status: 'problem',
          message: `${server} answers ${response.status}: ${text}`,
          remedy: ['Check its log to see what it waits for.'],
        },
    ...(date === null ? [] : [clockCheck('Curtail', skewSeconds(date, { from, to }))]),
  ];
}
