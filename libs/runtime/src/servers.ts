import { probeDatabase } from '#event-store';
import type { KafkaOptions } from '#messaging/kafka';
import type { ReadinessCheck, ServiceSettings, SettingsOf } from '#platform';
import { Down, databaseRefusal, readPolicy, SettingsError } from '#platform';
import { probeRedis, type RedisOptions } from '#timers';
import type { KeptPostgres } from './kept-postgres.js';
import type { RefusedWrites } from './refused-writes.js';
import { type ClusterSettings, isWatchedKind } from './settings/cluster-settings.js';
import { type KafkaSettings, kafkaOptions } from './settings/kafka-settings.js';
import { type RedisSettings, redisOptions } from './settings/redis-settings.js';
import type { retentionSettings } from './settings/retention-settings.js';

/** The properties of apps that the runtime needs, whichever apps run on it. */
export type RuntimeSettings = ServiceSettings &
  KafkaSettings &
  Partial<RedisSettings> &
  ClusterSettings &
  SettingsOf<typeof retentionSettings> & {
    /** Folder of the embedded database; absent: there is none. */
    readonly dataDir?: string;
  };

/** The servers of a process, by its settings: the shape of the system. */
export interface Servers {
  /** Absent: the embedded one. */
  databaseUrl: string | undefined;
  /** Absent: each process reads the log. */
  kafka: KafkaOptions | undefined;
  /** Absent: the wake-up queue is kept in the database. */
  redis: RedisOptions | undefined;
}

/**
 * @param clientId the name of this process for the brokers.
 * @param usesWakeUpQueue whether an app of the process sets timers or is woken by them.
 * @throws SettingsError when settings conflict.
 */
export function serversOf(
  settings: RuntimeSettings,
  { clientId, usesWakeUpQueue }: { clientId: string; usesWakeUpQueue: boolean },
): Servers {
  if (settings.cluster === 'inventory' && settings.kafkaBrokers === undefined) {
    throw new SettingsError([
      {
        variable: 'CURTAIL_CLUSTER',
        wrong: 'is inventory, but there is no Kafka that a scheduler could report to',
        remedy: 'set KAFKA_BROKERS, or leave the cluster simulated',
      },
    ]);
  }
  if (isWatchedKind(settings.cluster) && settings.kafkaBrokers !== undefined) {
    throw new SettingsError([
      {
        variable: 'CURTAIL_CLUSTER',
        wrong: `is ${settings.cluster}, which one process watches without Kafka`,
        remedy: 'unset KAFKA_BROKERS, or set inventory and have an agent report over Kafka',
      },
    ]);
  }
  return {
    databaseUrl: settings.databaseUrl,
    kafka: withSenderTopics(kafkaOptions(settings, clientId), settings.policyFile),
    redis: usesWakeUpQueue ? redisOptions(settings) : undefined,
  };
}

/** The topics that the policy file binds to single senders, as it is at the start. */
function withSenderTopics(
  kafka: KafkaOptions | undefined,
  policyFile: string | undefined,
): KafkaOptions | undefined {
  if (kafka === undefined || policyFile === undefined) return kafka;
  return { ...kafka, senderTopics: readPolicy(policyFile).senders?.topics ?? [] };
}

/** Each probes its server over a new connection: open connections do not show that a server hangs. */
export function checksOf({ databaseUrl, kafka, redis }: Servers): ReadinessCheck[] {
  const checks: ReadinessCheck[] = [];
  if (databaseUrl !== undefined) checks.push(databaseCheck(databaseUrl));
  if (kafka) {
    checks.push({
      name: 'kafka',
      check: async () => (await import('./kafka.js')).probeKafka(kafka),
    });
  }
  if (redis) checks.push({ name: 'redis', check: () => probeRedis(redis) });
  return checks;
}

/**
 * @param writes checked too, if given: a database with a full disk answers.
 * @param server the embedded one, which knows why it does not run.
 */
export function databaseCheck(
  url: string,
  { writes, server }: { writes?: RefusedWrites; server?: Pick<KeptPostgres, 'refusal'> | undefined } = {},
): ReadinessCheck {
  return {
    name: 'database',
    check: async () => {
      await probeDatabase(url).catch((error: unknown) => {
        const refusal = databaseRefusal(error) ?? server?.refusal;
        throw refusal ? new Down(refusal.code, refusal.reason, refusal.remedy) : error;
      });
      await writes?.assertTaken();
    },
  };
}
