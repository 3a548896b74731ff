import type { LineSender, Republisher } from '#messaging';
import type { KafkaOptions, Publisher } from '#messaging/kafka';
import type { Shutdown } from '#platform';

/** Publishes recorded events to Kafka again; it connects on its first use. Undefined if there are no brokers. */
export function openRepublisher(
  kafka: KafkaOptions | undefined,
  shutdown: Shutdown,
): Republisher | undefined {
  if (!kafka) return undefined;
  let opened: Promise<Publisher> | undefined;
  const republisher: Republisher = {
    republish: async (events) => {
      opened ??= import('./kafka.js').then(
        ({ logMessages, Publisher, openKafka }) =>
          new Publisher(openKafka({ ...kafka, clientId: `${kafka.clientId}-republish` }), logMessages),
      );
      await (await opened).publish(events, { replayed: true });
    },
    close: async () => {
      const publisher = await opened;
      opened = undefined;
      await publisher?.close();
    },
  };
  shutdown.register('pools', 'the republisher', () => republisher.close());
  return republisher;
}

/** Undefined if there are no brokers. */
export function openLineSender(kafka: KafkaOptions | undefined): LineSender | undefined {
  if (!kafka) return undefined;
  return async (topic, line) => {
    const { sendLine } = await import('./kafka.js');
    await sendLine({ ...kafka, clientId: `${kafka.clientId}-lines` }, topic, line);
  };
}
