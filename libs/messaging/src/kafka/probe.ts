import type { KafkaOptions } from './kafka-options.js';
import { describeTrouble } from './kafka-trouble.js';
import { kafkajs } from './kafkajs.js';
import { securityOf } from './security.js';

/**
 * Whether Kafka answers now: with a client of its own that is thrown away, for a client that lives long does not notice that
 * its broker is gone. Some 15 ms when it is well, at the most `timeoutMs` when it is frozen.
 *
 * @throws Error that says what is wrong.
 */
export async function probeKafka(options: KafkaOptions, timeoutMs = 2000): Promise<void> {
  const admin = new kafkajs.Kafka({
    brokers: options.brokers,
    clientId: `${options.clientId}-probe`,
    connectionTimeout: Math.min(1000, timeoutMs),
    requestTimeout: timeoutMs,
    authenticationTimeout: timeoutMs,
    enforceRequestTimeout: true,
    ...securityOf(options),
    retry: { retries: 0 },
    logLevel: kafkajs.logLevel.NOTHING,
  }).admin();
  try {
    await admin.connect();
    await admin.describeCluster();
  } catch (error) {
    throw describeTrouble(error, { doing: 'asking Kafka' });
  } finally {
    await admin.disconnect().catch(() => {});
  }
}
