import { createMigratedDatabase } from '../../support/database.js';
import { onOwnKafkaAndRedis } from '../../support/service-group.js';
import type { Ground } from './servers.js';

/** A part of the servers of the int lane: a database and prefixes of its own. They must not be harmed. */
export async function sharedGround(): Promise<Ground> {
  const { url, drop } = await createMigratedDatabase();
  const own = onOwnKafkaAndRedis();
  return {
    direct: {
      databaseUrl: url,
      redisUrl: own.REDIS_URL ?? '',
      brokers: (own.KAFKA_BROKERS ?? '').split(','),
    },
    topicPrefix: own.CURTAIL_KAFKA_TOPIC_PREFIX ?? '',
    environment: () => ({ ...own, DATABASE_URL: url }),
    remove: drop,
  };
}
