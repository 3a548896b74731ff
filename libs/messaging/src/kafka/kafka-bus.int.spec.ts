import { eventBusContract } from '../../../../test/contracts/event-bus.js';
import { kafkaClients, TestKafka } from '../../../../test/support/kafka.js';

for (const client of kafkaClients)
  eventBusContract(`over Kafka, with ${client}`, async ({ url, database, onParked, onError, onWait }) => {
    const kafka = new TestKafka(`${new URL(url).pathname.slice(1)}.`, { client });
    await kafka.relay(url);
    const onCrash: typeof onError = (consumer, error) => {
      // The first group of a broker, which is creating the topic of the groups: the consumer begins again.
      if (!error.message.includes('coordinator is loading')) onError?.(consumer, error);
    };
    return { bus: kafka.bus({ database, onParked, onError, onWait, onCrash }), close: () => kafka.close() };
  });
