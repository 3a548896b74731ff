import { join } from 'node:path';
import type { Tuning } from '../kafka/java-words.js';
import { type BrokerPorts, type KafkaServer, openKafka } from '../kafka/kafka.js';
import { openPostgres, type PostgresServer } from '../postgres/postgres.js';
import { openRedis, type RedisServer } from '../redis/redis.js';
import { keptPorts } from '../server/kept-ports.js';

/** The servers of a distributed Curtail. */
export interface Three {
  kafka: KafkaServer;
  redis: RedisServer;
  postgres: PostgresServer;
}

export interface ThreeOptions {
  /** Each has a folder of its own in it. */
  folder: string;
  /** Default true: they end with this process. */
  leashed?: boolean;
  tuning?: Tuning;
  /** Where clients reach Kafka; absent: a free port. */
  kafkaPort?: number;
}

/**
 * Describes the three of a folder, with the ports they had before, unless they do not run and another program has one of them by now.
 */
export async function openThree({ folder, leashed = true, tuning, kafkaPort }: ThreeOptions): Promise<Three> {
  const at = (name: string) => join(folder, name);
  const [kafka, redis, postgres] = await Promise.all([
    keptPorts(at('kafka'), ['client', 'controller', 'proxied'] as const),
    keptPorts(at('redis'), ['redis'] as const),
    keptPorts(at('postgres'), ['postgres'] as const),
  ]);
  return {
    kafka: await openKafka({
      folder: at('kafka'),
      ports: { ...(kafka as BrokerPorts), ...(kafkaPort !== undefined && { client: kafkaPort }) },
      leashed,
      tuning,
    }),
    redis: await openRedis({ folder: at('redis'), port: redis.redis, leashed }),
    postgres: await openPostgres({ folder: at('postgres'), port: postgres.postgres, leashed, durable: true }),
  };
}

/** As Curtail's services read them. */
export function environmentOf({ kafka, redis, postgres }: Three): Record<string, string> {
  return { KAFKA_BROKERS: kafka.brokers.join(','), REDIS_URL: redis.url, DATABASE_URL: postgres.url };
}
