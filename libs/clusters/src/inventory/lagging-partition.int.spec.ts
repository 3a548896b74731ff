import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Producer } from 'kafkajs';
import type { DataSource } from 'typeorm';
import { type DomainEvent } from '#contracts';
import { catalog, inboundTopics } from '#contracts/events';
import { openDatabase } from '#event-store';
import { type Consumer, consumerOf, EventNotReady } from '#messaging';
import { TopicWatermark } from '#messaging/kafka';
import { createMigratedDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { TestKafka } from '../../../../test/support/kafka.js';
import { AnswerWakeUps } from './answer-wake-ups.js';
import { EvictionRequests } from './eviction-requests.js';
import { InventoryCluster } from './inventory-cluster.js';
import { InventoryReports } from './inventory-reports.js';

const partition = 'default';

/** Two partitions of the topic: confirmations come on one, releases wait unread on the other. */
describe('reports that lag on one partition of their topic', () => {
  let server: TestDatabase;
  let db: DataSource;
  let kafka: TestKafka;
  let producer: Producer;
  let watermark: TopicWatermark;
  let cluster: InventoryCluster;
  let isHeld = false;
  let sent = 0;
  beforeAll(async () => {
    server = await createMigratedDatabase();
    db = await openDatabase(server.url);
    kafka = new TestKafka(`${new URL(server.url).pathname.slice(1)}.`, { partitions: 2 });
    await kafka.topics.ready();
    producer = kafka.connection.producer();
    await producer.connect();
    const reports = consumerOf(new InventoryReports());
    const bus = kafka.bus({ database: db });
    const held: Consumer = {
      name: reports.name,
      topics: reports.topics,
      keepsPlaces: true,
      handle: (events) => {
        if (isHeld && events.some(({ name }) => name === 'AllocationReleased'))
          throw new EventNotReady('it is held');
        return reports.handle(events);
      },
    };
    bus.subscribe(held);
    await bus.start();
    watermark = new TopicWatermark({
      connection: kafka.connection,
      database: db,
      topic: inboundTopics.inventory,
      consumer: reports.name,
      answerMs: 20_000,
    });
    const requests = new EvictionRequests(db, new AnswerWakeUps(), { answerSeconds: 1 });
    cluster = new InventoryCluster(db, requests, { staleSeconds: 600, watermark });
  });
  afterAll(async () => {
    isHeld = false;
    await watermark?.close();
    await producer?.disconnect();
    await kafka?.close();
    await db?.destroy();
    await server?.drop();
  });

  const send = (to: number, { name, data }: DomainEvent) =>
    producer.send({
      topic: kafka.connection.topicName(inboundTopics.inventory),
      messages: [
        {
          partition: to,
          value: JSON.stringify(data),
          headers: {
            ce_specversion: '1.0',
            ce_id: String(++sent),
            ce_source: '//platform',
            ce_type: catalog[name].type,
            ce_time: new Date().toISOString(),
          },
        },
      ],
    });
  const usage = async () => (await cluster.usage(partition, ['root.a'])).get('root.a')?.usage;

  it('keep the whole partition from being known, however fresh the confirmations are', async () => {
    const allocations = ['a', 'b'].map((id) => ({
      id,
      uid: id,
      application: 'app',
      queue: 'root.a',
      resources: { memory: 10 },
      startedAt: '2026-11-21T09:00:00Z',
    }));
    await send(0, {
      name: 'InventoryListed',
      data: { partition, sequence: 1, page: 1, last: true, allocations },
    });
    await cluster.assertKnown(partition);
    expect(await usage()).toEqual({ memory: 20 });

    isHeld = true;
    await send(1, { name: 'AllocationReleased', data: { partition, sequence: 2, id: 'a', uid: 'a' } });
    await send(0, { name: 'InventoryConfirmed', data: { partition } });
    const unread = new RegExp(`1 report is not applied yet \\(1 on ${kafka.prefix}curtail.inventory/1\\)`);
    await expect(cluster.assertKnown(partition)).rejects.toThrow(unread);
    await expect(cluster.snapshot({ partition })).rejects.toMatchObject({
      path: 'inventory',
      code: 'reports-unread',
    });
    expect(await usage()).toEqual({ memory: 20 });

    isHeld = false;
    await cluster.assertKnown(partition);
    expect(await usage()).toEqual({ memory: 10 });
    expect((await cluster.snapshot({ partition })).allocations).toMatchObject([{ id: 'b' }]);
  });

  it('are waited for where they are on their way', async () => {
    for (let sequence = 10; sequence < 30; sequence++) {
      const started = {
        id: `n${sequence}`,
        uid: 'u',
        application: 'app',
        queue: 'root.b',
        resources: { memory: 1 },
      };
      await send(sequence % 2, {
        name: 'AllocationStarted',
        data: { partition, sequence, ...started, startedAt: '2026-11-21T09:00:00Z' },
      });
      await cluster.assertKnown(partition);
      expect((await cluster.usage(partition, ['root.b'])).get('root.b')?.usage).toEqual({
        memory: sequence - 9,
      });
    }
  });
});
