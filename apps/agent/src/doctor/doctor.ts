import { type AgentRole, grantManifest, type KubernetesApi, whoAmI } from '#agents/kubernetes';
import { BrokenInvariant } from '#contracts';
import { probeKafka } from '#messaging/kafka';
import type { SettingsOf } from '#platform';
import {
  type KafkaSettings,
  type KubernetesSettings,
  kafkaOptions,
  type YarnVariables,
  type YtsaurusVariables,
} from '#runtime';
import { machineNow, missingKubeconfigs, openApi, openYunikorn } from '../kubernetes/open-kubernetes.js';
import type { agentSettings } from '../settings/agent-settings.js';
import { type Check, clockCheck, runCheck, skewSeconds } from './check.js';
import { kubernetesChecks } from './kubernetes-checks.js';
import { namespaceChecks, yunikornChecks } from './queue-checks.js';

const usualNamespace = 'curtail';
const answersWithinMs = 3000;

export interface ExamineOptions {
  settings: KubernetesSettings &
    YarnVariables &
    YtsaurusVariables &
    KafkaSettings &
    Pick<SettingsOf<typeof agentSettings>, 'mode' | 'lease'>;
  /** The address of a running Curtail, and its token. */
  server: string;
  token: string | undefined;
  /** The options that selected the cluster on the command line, such as ` --context lab`: those that kubectl has as well. */
  kubectlOptions: string;
  /** All options of the command line that `start` has as well, with the kind of the cluster: ` --cluster yarn --yarn-url …`. */
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
}: ExamineOptions): Promise<Check[]> {
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
      surroundings({ settings, server, token, startOptions }),
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
export async function manifestOf({ settings }: Pick<ExamineOptions, 'settings'>): Promise<string> {
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

const agentNamespace = ({ lease }: ExamineOptions['settings'], api: KubernetesApi): string =>
  lease?.namespace ?? api.namespace ?? usualNamespace;

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

/** What is beside a cluster of any kind: Kafka, and Curtail itself. */
export async function surroundings({
  settings,
  server,
  token,
  startOptions,
}: Pick<ExamineOptions, 'settings' | 'server' | 'token' | 'startOptions'>): Promise<Check[]> {
  const found = await Promise.all([
    runCheck('Kafka', () => kafkaCheck(settings), [
      `Check that the brokers run and that this machine can reach them: KAFKA_BROKERS is ${settings.kafkaBrokers}`,
    ]),
    runCheck('Curtail', () => curtailChecks(server, token, startOptions)),
  ]);
  return found.flat();
}

/** Whether Kafka answers, if it is used. */
async function kafkaCheck(settings: KafkaSettings): Promise<Check> {
  const name = 'Kafka';
  const options = kafkaOptions(settings, 'curtail-doctor');
  if (options === undefined) {
    return { name, status: 'note', message: 'KAFKA_BROKERS is not set: everything runs in one process' };
  }
  await probeKafka(options);
  return { name, status: 'ok', message: `answers at ${options.brokers.join(', ')}` };
}

/** Whether a Curtail runs. @param startOptions the words after `curtail start` that would start it. */
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
    const remedy = [`Start it: curtail start${startOptions}`, 'Or give its address: --server URL'];
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

/** Schedulers with their own objects, by API group. */
const groups: readonly (readonly [group: string, scheduler: string])[] = [
  ['kueue.x-k8s.io', 'Kueue'],
  ['scheduling.volcano.sh', 'Volcano'],
];
const yunikornPods = 'component=yunikorn-scheduler';

/**
 * Finds schedulers that may evict pods of a namespace by their own quotas, beside the ResourceQuotas that Curtail enforces.
 *
 * @param options the options that select the cluster on a command line, such as ` --context lab`.
 */
async function otherSchedulerChecks(api: KubernetesApi, options: string): Promise<Check[]> {
  const name = 'other schedulers';
  const [known, pods] = await Promise.all([
    api.call('GET', '/apis'),
    api.call('GET', '/api/v1/pods', { query: { labelSelector: yunikornPods, limit: 1 } }),
  ]);
  if (known.code !== 200 || pods.code !== 200) {
    return [{ name, status: 'note', message: 'not checked: this user may not list pods and API groups' }];
  }
  const there = new Set((known.body as { groups?: { name: string }[] }).groups?.map((group) => group.name));
  const found = groups
    .filter(([group]) => there.has(group))
    .map(
      ([, scheduler]): Check => ({
        name,
        status: 'note',
        message: `${scheduler} is installed: it may evict pods by its own quotas, which Curtail does not know`,
        remedy: ['Limit each namespace in one place: by its ResourceQuota, or there.'],
      }),
    );
  const [yunikorn] = (pods.body as { items: { metadata: { namespace?: string } }[] }).items;
  if (yunikorn) {
    found.push({
      name,
      status: 'note',
      message: `YuniKorn runs in the namespace ${yunikorn.metadata.namespace}: it has its own queues and quotas, which Curtail does not know`,
      remedy: [
        `Take queues from it: curtail doctor${options} --queues yunikorn --yunikorn-url http://127.0.0.1:9080`,
      ],
    });
  }
  const none = `none of ${['YuniKorn', ...groups.map(([, scheduler]) => scheduler)].join(', ')} is installed`;
  return found.length > 0 ? found : [{ name, status: 'ok', message: none }];
}
