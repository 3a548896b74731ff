import { hostname } from 'node:os';
import { Module } from '@nestjs/common';
import type { Logger } from 'pino';
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
import {
  kafkaOptions,
  kafkaSettings,
  kubernetesSettings,
  settingsFile,
  yarnSettings,
  ytsaurusSettings,
} from '#runtime';
import { act } from './act.js';
import { kinds } from './kinds.js';
import { troubleLog } from './kubernetes/open-kubernetes.js';
import { agentSettings } from './settings/agent-settings.js';
import type { Watched } from './watching/watched.js';

const { kafkaManageTopics, kafkaPartitions, ...clientSettings } = kafkaSettings;
const general = { ...generalSettings, port: portSetting(8086) };

export const agentProgram = {
  name: 'agent',
  port: 8086,
  settings: {
    ...general,
    ...kafkaSettings,
    ...kubernetesSettings,
    ...yarnSettings,
    ...ytsaurusSettings,
    ...agentSettings,
  },
  groups: {
    General: { ...settingsFile, ...general },
    Kafka: clientSettings,
    Kubernetes: kubernetesSettings,
    YARN: yarnSettings,
    YTsaurus: ytsaurusSettings,
    'The agent': agentSettings,
  },
};
type AgentProgramSettings = SettingsOf<typeof agentProgram.settings>;

@Module({})
class AgentModule {}

/**
 * Runs beside a cluster, with that cluster's credentials: reports the work of the cluster over Kafka, and evicts on
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
  const brokers = kafkaOptions(settings, `curtail-agent-${host}-${process.pid}`);
  if (brokers === undefined) throw new SettingsError([noKafka(settings.kind)]);
  const kafka = openKafka({
    ...brokers,
    onClientLog: (level, message) => log.debug({ level }, `Kafka client (${level}): ${message}`),
  });
  const onTrouble = troubleLog(log);
  const watched = await kinds[settings.kind]({ settings, kafka, host, log, onTrouble });
  const readiness = readinessOf(brokers, watched);
  const waiting = new WaitingForServers(readiness, log);
  const door = await FrontDoor.open(settings, () => waiting.down);
  closeAtTheEnd(door, readiness, shutdown);
  log.info(
    { cluster: settings.kind, address: watched.address },
    `The agent of ${watched.address} listens at ${door.url} in mode ${settings.mode}.`,
  );
  const app = await createHttpApp(AgentModule, settings, {
    log,
    shutdown,
    readiness,
    server: door.server,
  });
  const { signingKey } = settings;
  const metrics = app.get(Metrics, { strict: false });
  const stopping = new AbortController();
  const working = workOnceAllowed(
    watched,
    (...term) => act(...term, { watched, kafka, host, log, metrics, signingKey, onTrouble }),
    stopping.signal,
  ).catch((error: Error) => {
    log.fatal({ err: error }, 'The agent cannot continue.');
    void shutdown.run(1);
  });
  shutdown.register('workers', 'the agent', async () => {
    stopping.abort();
    await working;
    watched.close();
  });
  return await serveHttp(app, door);
}

function readinessOf(kafka: KafkaOptions, { checks }: Watched): Readiness {
  const readiness = new Readiness();
  readiness.register({ name: 'kafka', check: () => probeKafka(kafka) });
  for (const check of checks) readiness.register(check);
  return readiness;
}

async function workOnceAllowed(
  watched: Watched,
  work: Parameters<Watched['lead']>[0],
  signal: AbortSignal,
): Promise<void> {
  if (await watched.untilAllowed(signal)) await watched.lead(work, signal);
}

const noKafka = (kind: string) => ({
  variable: 'KAFKA_BROKERS',
  wrong: 'is not set',
  remedy: `name the brokers that Curtail uses; without Kafka, \`curtail start --cluster ${kind}\` runs all of it in one process`,
});
