import { eventBusContract } from '../../../../test/contracts/event-bus.js';
import { TestKafka } from '../../../../test/support/kafka.js';

eventBusContract('over Kafka', async ({ url, database, onParked, onError }) => {
  const kafka = new TestKafka(`${new URL(url).pathname.slice(1)}.`);
  await kafka.relay(url);
  return { bus: kafka.bus({ database, onParked, onError, onCrash: onError }), close: () => kafka.close() };
});
