import { describeTrouble } from './kafka-trouble.js';
import type { KafkaConnection } from './open-kafka.js';

/**
 * The destination of the log: the cluster, and the prefix there. A new cluster has none of the messages, and receives
 * them all.
 *
 * @throws Error with the reason why the brokers do not answer.
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
