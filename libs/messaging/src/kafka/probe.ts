import type { KafkaOptions } from './kafka-options.js';
import { describeTrouble } from './kafka-trouble.js';
import { kafkajs } from './kafkajs.js';
import { securityOf } from './security.js';

/**
 * Checks whether Kafka answers now, with a client of its own: a long-lived client does not notice that its broker is
 * gone. Takes some 15 ms when it is healthy, at most `timeoutMs` when it is frozen.
 *
 * @throws Error with the reason.
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
