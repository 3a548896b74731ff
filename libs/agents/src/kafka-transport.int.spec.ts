import { randomUUID } from 'node:crypto';
import { catalog, eventName, inboundTopics } from '@curtail/contracts';
import type { Outgoing } from '@curtail/event-store';
import { logMessages, openKafka, Publisher } from '@curtail/messaging/kafka';
import { agentTransportContract, partition } from '../../../test/contracts/agent-transport.js';
import { Heard } from '../../../test/support/heard.js';
import { hasty, TestKafka } from '../../../test/support/kafka.js';
import { startKafkaBehindProxy } from '../../../test/support/kafka-behind-proxy.js';
import { KafkaTransport } from './kafka-transport.js';
import type { Message } from './port.js';

agentTransportContract('over Kafka', async () => {
  const behind = await startKafkaBehindProxy();
  const direct = new TestKafka('', { brokers: behind.kafka.brokers, partitions: 3 });
  await direct.topics.ready();
  const through = openKafka({
    brokers: behind.brokers,
    clientId: 'agent',
    ...hasty,
    connectionTimeoutMs: 500,
    requestTimeoutMs: 1000,
  });
  const curtail = new Publisher<Outgoing>(direct.connection, logMessages);
  const arrived = new Heard<Message>();
  const reader = direct.reader('reader');
  await reader.connect();
  await reader.subscribe({ topics: Object.values(inboundTopics), fromBeginning: true });
  await reader.run({
    eachMessage: async ({ message: { headers, key, value } }) => {
      const name = eventName(headers?.ce_type?.toString() ?? '');
      const data = JSON.parse(value?.toString() ?? '');
      arrived.add({ event: { name, data }, key: key?.toString() ?? '' } as Message);
    },
  });
  return {
    open: () =>
      new KafkaTransport({
        connection: through,
        group: 'agent-test',
        isOurs: (one) => one === partition,
        source: () => '/agents/test',
        now: () => new Date(),
        onTrouble: () => {},
        onUnreadable: () => {},
      }),
    arrived,
    say: (event) =>
      curtail.publish([
        {
          ...catalog[event.name],
          id: randomUUID(),
          stream: 's',
          version: 1,
          partition,
          key: 'root.a',
          time: new Date(),
          data: JSON.stringify(event.data),
          transactionId: '1',
          position: '1',
          traceparent: null,
          tracestate: null,
        },
      ]),
    cut: () => behind.proxy.cut(),
    restore: () => behind.proxy.pass(),
    close: async () => {
      await reader.disconnect();
      await curtail.close();
      await behind.remove();
    },
  };
});
