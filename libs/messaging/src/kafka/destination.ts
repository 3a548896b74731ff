import { describeTrouble } from './kafka-trouble.js';
import type { KafkaConnection } from './open-kafka.js';

/**
 * Where the log is published to: the cluster, and the prefix there. Another cluster has none of the messages of this one, and gets
 * them all.
 *
 * @throws Error that says what is wrong with the brokers.
 */
export async function destinationOf(connection: KafkaConnection): Promise<string> {
  const admin = connection.admin();
  try {
    await admin.connect();
    const { clusterId } = await admin.describeCluster();
    return `${clusterId}/${connection.prefix}`;
  } catch (error) {
    throw describeTrouble(error, { doing: 'asking Kafka for its name' });
  } finally {
    await admin.disconnect().catch(() => {});
  }
}
