import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { AgentError } from '#agents';
import {
  type AgentRole,
  assertDeclared,
  type KubernetesApi,
  Leadership,
  type Term,
} from '#agents/kubernetes';
import { type KafkaOptions, openKafka, probeKafka } from '#messaging/kafka';
import {
  closeAtTheEnd,
  createHttpApp,
  FrontDoor,
  generalSettings,
  Metrics,
  portSetting,
  Readiness,
  SettingsError,
  type SettingsOf,
  type Shutdown,
  serveHttp,
  WaitingForServers,
} from '#platform';
import { kafkaOptions, kafkaSettings, kubernetesSettings, settingsFile } from '#runtime';
import { type ActOptions, act } from './act.js';
import { agentSettings } from './agent-settings.js';
import { machineNow, missingKubeconfigs, openApi, troubleLog } from './kubernetes/open-kubernetes.js';
import { checkRights, untilAllowed } from './kubernetes/rights.js';

const usualNamespace = 'curtail';
const probeMs = 3000;

const { kafkaManageTopics, kafkaPartitions, kafkaReplication, kafkaRetentionHours, ...clientSettings } =
  kafkaSettings;
const general = { ...generalSettings, port: portSetting(8086) };

export const agentProgram = {
  name: 'agent',
  port: 8086,
  settings: { ...general, ...kafkaSettings, ...kubernetesSettings, ...agentSettings },
  groups: {
    General: { ...settingsFile, ...general },
    Kafka: clientSettings,
    Kubernetes: kubernetesSettings,
    'The agent': agentSettings,
  },
};
type AgentProgramSettings = SettingsOf<typeof agentProgram.settings>;

@Module({})
class AgentModule {}

/**
 * Runs beside a Kubernetes cluster, with that cluster's credentials: reports the work of the cluster over Kafka, and evicts on
 * Curtail's request. It waits for servers that are not available yet, and for permissions that are not granted yet.
 *
 * @returns the address that it listens at.
 * @throws SettingsError if there is no Kafka, or no cluster.
 */
export async function startAgent(
  settings: AgentProgramSettings,
  { log, shutdown }: { log: Logger; shutdown: Shutdown },
): Promise<string> {
  const host = hostname();
  const kafka = kafkaOptions(settings, `curtail-agent-${host}-${process.pid}`);
  if (kafka === undefined) throw new SettingsError([noKafka]);
  const api = openApi(settings, (method, path, isWatch) => assertDeclared(method, path, isWatch));
  for (const missing of missingKubeconfigs(api)) log.warn({ context: api.context }, `${missing}.`);
  const namespace = settings.namespace ?? api.namespace ?? usualNamespace;
  const role: AgentRole = {
    mode: settings.mode,
    queues: settings.kubernetesQueues,
    lease: settings.lease !== undefined,
  };

  const rights: Rights = { areThere: false };
  const readiness = readinessOf(kafka, api, rights);
  const waiting = new WaitingForServers(readiness, log);
  const door = await FrontDoor.open(settings, () => waiting.down);
  closeAtTheEnd(door, readiness, shutdown);
  log.info(
    { server: api.server.href, context: api.context },
    `The agent of ${api.server.href} listens at ${door.url} in mode ${role.mode}.`,
  );
  const app = await createHttpApp(AgentModule, settings, {
    log,
    shutdown,
    readiness,
    server: door.server,
  });
  const onTrouble = troubleLog(log);
  const options = {
    settings,
    partition: settings.partition,
    role,
    kafka: openKafka({
      ...kafka,
      onClientLog: (level, message) => log.debug({ level }, `Kafka client (${level}): ${message}`),
    }),
    host,
    log,
    metrics: app.get(Metrics, { strict: false }),
    onTrouble,
  };
  const stopping = new AbortController();
  const working = workOnceAllowed({ api, namespace, rights, options }, stopping.signal).catch(
    (error: Error) => {
      log.fatal({ err: error }, 'The agent cannot continue.');
      void shutdown.run(1);
    },
  );
  shutdown.register('workers', 'the agent', async () => {
    stopping.abort();
    await working;
    api.close();
  });
  return await serveHttp(app, door);
}

/** Whether all permissions were found to be granted. */
interface Rights {
  areThere: boolean;
}

function readinessOf(kafka: KafkaOptions, api: KubernetesApi, rights: Readonly<Rights>): Readiness {
  const readiness = new Readiness();
  readiness.register({ name: 'kafka', check: () => probeKafka(kafka) });
  readiness.register({ name: 'kubernetes', check: () => askVersion(api) });
  readiness.register({
    name: 'rights',
    check: async () => {
      if (rights.areThere) return;
      throw new AgentError(
        'rights-missing',
        'a permission that is needed to read the cluster is missing, or not checked yet',
      );
    },
  });
  return readiness;
}

interface AgentWork {
  api: KubernetesApi;
  /** Of the agent itself. */
  namespace: string;
  rights: Rights;
  options: ActOptions & { settings: AgentProgramSettings };
}

async function workOnceAllowed(work: AgentWork, signal: AbortSignal): Promise<void> {
  const { api, namespace, rights, options } = work;
  const { settings, role, log, onTrouble } = options;
  const check = () => checkRights(api, role, { agent: namespace, scheduler: settings.yunikornNamespace });
  rights.areThere = (await untilAllowed(check, { log, signal, onTrouble })) !== undefined;
  if (rights.areThere) await lead(work, signal);
}

/** Works alone, or whenever this agent holds the lease. */
async function lead(
  { api, namespace, options }: Omit<AgentWork, 'rights'>,
  signal: AbortSignal,
): Promise<void> {
  const { settings, host, log, onTrouble } = options;
  if (settings.lease === undefined) return act(alone(signal), () => {}, options);
  const identity = `${host}_${randomUUID()}`;
  const leadership = new Leadership(api, {
    namespace,
    name: settings.lease,
    identity,
    now: machineNow,
    onTrouble: (error) =>
      onTrouble(`Could not use the lease ${namespace}/${settings.lease}; retrying`, error),
  });
  log.info({ identity }, `The agent is on standby for the lease ${namespace}/${settings.lease}.`);
  await leadership.run((term, registerSequence) => act(term, registerSequence, options), signal);
}

/** Without a lease this agent is the only one. */
const alone = (signal: AbortSignal): Term => ({
  signal,
  sequenceAfter: machineNow().getTime() * 1000,
  holds: () => !signal.aborted,
});

async function askVersion(api: KubernetesApi): Promise<void> {
  await api.get('/version', { signal: AbortSignal.timeout(probeMs) });
}

const noKafka = {
  variable: 'KAFKA_BROKERS',
  wrong: 'is not set',
  remedy:
    'name the brokers that Curtail uses; without Kafka, `curtail start --cluster kubernetes` runs all of it in one process',
};
