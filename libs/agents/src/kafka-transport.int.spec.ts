import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { DomainEvent } from '#contracts';
import { eventName, inboundTopics } from '#contracts/events';
import type { Outgoing } from '#event-store';
import { logMessages, openKafka, Publisher } from '#messaging/kafka';
import {
  agentTransportContract,
  outgoing,
  partition,
  victimEvicted,
} from '../../../test/contracts/agent-transport.js';
import { hasty, TestKafka } from '../../../test/support/kafka.js';
import { startKafkaBehindProxy } from '../../../test/support/kafka-behind-proxy.js';
import { Recorded } from '../../../test/support/recorded.js';
import { KafkaTransport } from './kafka-transport.js';
import type { FromCurtail, Message } from './port.js';

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
  const arrived = new Recorded<Message>();
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
    emit: (event) => curtail.publish([outgoing(event, new Date())]),
    cut: () => behind.proxy.cut(),
    restore: () => behind.proxy.pass(),
    close: async () => {
      await reader.disconnect();
      await curtail.close();
      await behind.remove();
    },
  };
});

describe('an agent that is stopped while it joins its group', () => {
  const rounds = 12;

  it('is no member of it any more, so that it keeps nothing from the next one', async () => {
    const kafka = new TestKafka(`stopped-${randomUUID()}.`, { partitions: 3 });
    await kafka.topics.ready();
    const admin = kafka.connection.admin();
    await admin.connect();
    const open = () =>
      new KafkaTransport({
        connection: kafka.connection,
        group: 'agent',
        isOurs: () => true,
        source: () => '/agents/test',
        now: () => new Date(),
        onTrouble: () => {},
        onUnreadable: () => {},
      });
    const deaf: FromCurtail = {
      evict: () => {},
      announce: () => {},
      answered: () => {},
      configuration: () => {},
    };
    try {
      const groups = [kafka.connection.groupName('agent')];
      const left: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const transport = open();
        await transport.start(deaf);
        // Each time a little later in its start: as it connects, subscribes, joins.
        await delay(round * 4);
        await transport.stop();
        const { groups: found } = await admin.describeGroups(groups);
        left.push(found[0]?.members.length ?? 0);
      }
      expect(left).toEqual(Array(rounds).fill(0));
    } finally {
      await admin.disconnect();
      await kafka.close();
    }
  });
});

describe('an agent that reads the records of evictions for the first time', () => {
  it('skips those that are too old for an event of its cluster', async () => {
    const kafka = new TestKafka(`records-${randomUUID()}.`, { partitions: 1 });
    await kafka.topics.ready();
    const curtail = new Publisher<Outgoing>(kafka.connection, logMessages);
    const now = new Date();
    const ago = (ms: number) => new Date(now.getTime() - ms);
    const told = new Recorded<string>();
    const transport = new KafkaTransport({
      ...{ connection: kafka.connection, group: 'agent', isOurs: () => true, source: () => '/agents/test' },
      ...{ now: () => now, onTrouble: () => {}, onUnreadable: () => {} },
    });
    try {
      const evicted = (id: string) => ({ name: 'VictimEvicted', data: victimEvicted(id) }) as DomainEvent;
      await curtail.publish([
        outgoing(evicted('old'), ago(3_600_000)),
        outgoing(evicted('new'), ago(3_500_000)),
      ]);
      const ignored = () => {};
      await transport.start({
        ...{ evict: ignored, announce: ignored, answered: ignored, configuration: ignored },
        recorded: ({ data }) => told.add(data.allocation),
      });
      await told.when((all) => all.includes('new'));
      expect(told.all).toEqual(['new']);
    } finally {
      await transport.stop();
      await curtail.close();
      await kafka.close();
    }
  });
});
