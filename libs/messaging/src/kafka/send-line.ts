import type { KafkaOptions } from './kafka-options.js';
import { describeTrouble } from './kafka-trouble.js';
import { openKafka } from './open-kafka.js';

/**
 * Sends a line to a topic that exists, by its name without a prefix, with a connection of its own: for what is sent seldom.
 *
 * @throws Error with the reason.
 */
export async function sendLine(options: KafkaOptions, topic: string, line: string): Promise<void> {
  const producer = openKafka(options).producer();
  try {
    await producer.connect();
    await producer.send({ topic, acks: -1, messages: [{ value: line }] });
  } catch (error) {
    throw describeTrouble(error, { doing: 'sending a line', topics: [topic] });
  } finally {
    await producer.disconnect().catch(() => {});
  }
}
