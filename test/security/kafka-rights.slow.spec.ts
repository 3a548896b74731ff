import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Type } from '@nestjs/common';
import kafkajs, { type AclEntry, type Admin } from 'kafkajs';
import type { DataSource } from 'typeorm';
import type { Message } from '#agents';
import { EvictionRecords, KafkaTransport } from '#agents/kafka';
import { EvictionAnswers, InventoryReports } from '#clusters';
import type { DomainEvent } from '#contracts';
import { catalog } from '#contracts/events';
import { append, type Outgoing, openDatabase } from '#event-store';
import { type Consumer, subscriptionsOf } from '#messaging';
import { type KafkaBus, logMessages, openKafka, Publisher, TopicWatermark } from '#messaging/kafka';
import { TakeSubmissions } from '../../apps/config-ingest/src/submit/take-submissions.js';
import { TakeAnswers } from '../../apps/console/src/answers/take-answers.js';
import { CarryOutPlans } from '../../apps/executor/src/carry-out-plans.js';
import { PlanRuns } from '../../apps/planner/src/plan-runs.js';
import { KeepClocks } from '../../apps/timer/src/keep-clocks.js';
import { WakeForOwnClocks } from '../../apps/timer/src/rounds/wake-for-own-clocks.js';
import { type SecuredKafka, startSecuredKafka } from '../../scripts/infra/index.js';
import { outgoing, partition, request, victimEvicted } from '../contracts/agent-transport.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { marker, markers } from '../support/events.js';
import { TestKafka } from '../support/kafka.js';
import { Recorded } from '../support/recorded.js';
import { agentRights, type Right, rightsOf } from './kafka-rights.js';

/** The topics that each service reads from Kafka. */
const services: Record<string, Type[]> = {
  'config-ingest': [TakeSubmissions],
  timer: [KeepClocks, WakeForOwnClocks],
  planner: [PlanRuns],
  executor: [CarryOutPlans],
  console: [TakeAnswers],
  inventory: [InventoryReports, EvictionAnswers],
};

describe('on a cluster where no one may do anything without a rule', () => {
  let secured: SecuredKafka;
  let admin: Admin;
  let server: TestDatabase;
  let db: DataSource;
  let kafka: TestKafka;
  let user: string;
  let noted: {
    parked: Recorded<string>;
    crashes: Recorded<string>;
    errors: Recorded<string>;
    published: Recorded<number>;
  };
  beforeAll(async () => {
    secured = await startSecuredKafka();
    admin = openKafka({ brokers: secured.kafka.brokers, clientId: 'test' }).admin();
    await admin.connect();
  });
  afterAll(async () => {
    await admin.disconnect();
    await secured.remove();
  });
  beforeEach(async () => {
    server = await createMigratedDatabase();
    db = await openDatabase(server.url);
    user = new URL(server.url).pathname.slice(1);
    kafka = new TestKafka(`${user}.`, {
      brokers: secured.brokers.mtls,
      manage: false,
      tls: { ca: secured.authority.ca, ...(await secured.authority.issue(user)) },
    });
    noted = {
      parked: new Recorded(),
      crashes: new Recorded(),
      errors: new Recorded(),
      published: new Recorded(),
    };
    await new TestKafka(kafka.prefix, { brokers: secured.kafka.brokers, partitions: 1 }).topics.ready();
  });
  afterEach(async () => {
    await kafka.close().catch(() => {});
    await db.destroy();
    await server.drop();
  });

  const grant = (rights: Right[]) => admin.createAcls({ acl: rights.map((right) => entryOf(right, user)) });
  const consumersOf = (service: string) =>
    services[service]!.flatMap(subscriptionsOf).map(
      ({ name, topics }): Consumer => ({ name, topics, handle: async () => undefined }),
    );
  const all = (service: string) =>
    rightsOf({ consumers: consumersOf(service), relays: true, manages: false }, kafka.prefix);

  /** Its consumers, and the relay. */
  async function run(service: string): Promise<KafkaBus> {
    const bus = kafka.bus({
      database: db,
      onParked: (consumer) => noted.parked.add(consumer),
      onCrash: (_, error) => noted.crashes.add(error.message),
      onError: (_, error) => noted.errors.add(error.message),
    });
    for (const consumer of consumersOf(service)) bus.subscribe(consumer);
    await bus.start();
    await db.transaction((tx) => append(tx, [markers('a', 0, marker('a1'))]));
    await kafka.relay(server.url, {
      onPublished: (events) => noted.published.add(events),
      onError: (error) => noted.errors.add(error.message),
    });
    return bus;
  }
  /** A message that cannot be read is parked: that takes reading, committing and writing. */
  const sendRubbish = (topics: readonly string[]) => send(topics, {});
  async function send(topics: readonly string[], more: { headers?: Record<string, string> }): Promise<void> {
    const producer = openKafka({
      brokers: secured.kafka.brokers,
      clientId: 'test',
      topicPrefix: kafka.prefix,
    }).producer();
    await producer.connect();
    for (const topic of topics) {
      await producer.send({
        topic: kafka.connection.topicName(topic),
        messages: [{ key: 'k', value: 'rubbish', ...more }],
      });
    }
    await producer.disconnect();
  }

  /** As the relay does. */
  async function publish(...events: DomainEvent[]): Promise<void> {
    const connection = openKafka({
      brokers: secured.kafka.brokers,
      clientId: 'test',
      topicPrefix: kafka.prefix,
    });
    const publisher = new Publisher<Outgoing>(connection, logMessages);
    await publisher.publish(events.map((event) => outgoing(event, new Date())));
    await publisher.close();
  }

  it.each(Object.keys(services))('the rights of the %s suffice', async (service) => {
    await grant(all(service));
    const bus = await run(service);
    const topics = consumersOf(service).flatMap((consumer) => consumer.topics);
    await sendRubbish([...new Set(topics)]);
    await noted.parked.first(topics.length);
    expect(await noted.published.first(1)).toEqual([1]);
    expect(Object.fromEntries((await bus.status()).map(({ name, parked }) => [name, parked]))).toEqual(
      Object.fromEntries(consumersOf(service).map(({ name, topics }) => [name, topics.length])),
    );
  });

  it('the rights of an agent suffice to receive requests and to answer them', async () => {
    const { connection } = kafka;
    await grant(agentRights('agent-test', connection));
    const unreadable = new Recorded<string>();
    const transport = new KafkaTransport({
      connection,
      group: 'agent-test',
      isOurs: () => true,
      source: () => '/agents/test',
      now: () => new Date(),
      onTrouble: () => {},
      onUnreadable: (error) => unreadable.add(error.message),
    });
    await transport.start({
      evict: () => {},
      announce: () => {},
      answered: () => {},
      configuration: () => {},
    });
    // A message that is too long for its topic cannot be read: so it was received.
    await send(['curtail.evictions.requests', 'curtail.quota'], {
      headers: { ce_type: catalog.EvictionRequested.type, ce_dataref: '/v1/events/1' },
    });
    // A rule that is made holds a moment later; the transport tries again.
    expect((await unreadable.first(2))[1]).toContain('raise max.message.bytes');
    for (const name of ['InventoryConfirmed', 'EvictionAnswered', 'ConfigSubmitted']) {
      await transport.send([{ event: { name, data: {} }, key: 'k' } as unknown as Message]);
    }
    await transport.stop();
  });

  it('READ on the group of its records is what an agent of YARN needs beside its rights to learn past evictions', async () => {
    const { connection } = kafka;
    const group = 'agent-test.records';
    await grant(agentRights('agent-test', connection));
    const troubles = new Recorded<string>();
    const requested = { ...request('kill-1'), graceSeconds: 30 };
    const records = new EvictionRecords({
      connection,
      group,
      partition,
      now: () => new Date(),
      onTrouble: (error) => troubles.add(error.message),
    });
    records.start();
    try {
      await troubles.until((message) => message.includes(connection.groupName(group)));
      await grant([{ resource: 'group', name: connection.groupName(group), operation: 'READ' }]);
      await publish(
        { name: 'EvictionRequested', data: requested },
        { name: 'VictimEvicted', data: { ...victimEvicted(requested.allocation), evictionId: 'kill-1' } },
      );
      let found = records.take();
      while (found.length === 0) {
        await delay(50);
        found = records.take();
      }
      expect(found).toEqual([{ allocation: requested.allocation, graceSeconds: requested.graceSeconds }]);
    } finally {
      await records.stop();
    }
  });

  it('a sender with a topic of its own can write to no other, so that its topic says who it is', async () => {
    const topicOf = (suffix: string) => kafka.connection.topicName(`curtail.config.submissions${suffix}`);
    const [own, ...others] = [topicOf('.research'), topicOf('.platform'), topicOf('')] as const;
    await admin.createTopics({ topics: [own, topicOf('.platform')].map((topic) => ({ topic })) });
    const write = { resource: 'topic', name: own, operation: 'WRITE' } as const;
    await grant([write]);
    const producer = kafka.connection.producer();
    await producer.connect();
    const send = (topic: string) =>
      producer.send({ topic, messages: [{ key: 'k', value: '{}' }] }).then(
        () => 'sent',
        ({ message }: Error) => message,
      );
    // A rule that is made holds a moment later.
    while ((await send(own)) !== 'sent');
    for (const topic of others) expect(await send(topic)).toMatch(/not authorized/i);
    await producer.disconnect();
  });

  it('those of the manager of topics suffice to make and to change them', async () => {
    const managed = new TestKafka(`${user}-managed.`, {
      brokers: secured.brokers.mtls,
      tls: { ca: secured.authority.ca, ...(await secured.authority.issue(user)) },
    });
    await grant(rightsOf({ consumers: [], relays: false, manages: true }, managed.prefix));
    // A rule that is made holds a moment later.
    while (
      !(await managed.topics.ready().then(
        () => true,
        () => false,
      ))
    );
  });

  it('DESCRIBE on a topic suffices to ask for its end, and is asked for where it is missing', async () => {
    const watermark = new TopicWatermark({
      connection: kafka.connection,
      database: db,
      topic: 'curtail.inventory',
      consumer: 'inventory',
      answerMs: 20_000,
    });
    await expect(watermark.unread(0)).rejects.toThrow('those that read the end of a topic DESCRIBE');
    const rights = { consumers: [], relays: false, manages: false, watches: ['curtail.inventory'] };
    await grant(rightsOf(rights, kafka.prefix));
    const unread = () => watermark.unread(0).catch(() => undefined);
    // A rule that is made holds a moment later.
    let found = await unread();
    while (found === undefined) found = await unread();
    expect(found).toEqual({ behind: [], missing: [], gapAt: null });
    await watermark.close();
  });

  it.each([
    [
      'READ on a topic',
      (right: Right) => right.operation === 'READ' && right.resource === 'topic',
      'crashes',
      /curtail\.enforcement: consumers need READ/,
    ],
    [
      'READ on the group',
      (right: Right) => right.resource === 'group',
      'crashes',
      /READ on the group \S+curtail\.planner/,
    ],
    [
      'WRITE on dead letters',
      (right: Right) => right.name.endsWith('dead-letters'),
      'errors',
      /sending a dead letter: .*dead-letters/,
    ],
    [
      'WRITE on a topic of the log',
      (right: Right) => right.operation === 'WRITE' && right.name.endsWith('control'),
      'errors',
      /no topic \S+curtail\.control, .*WRITE for the relay/,
    ],
  ] as const)('a missing %s is reported, and found when it is given', async (_, missing, where, pattern) => {
    const rights = all('planner');
    await grant(rights.filter((right) => !missing(right)));
    await run('planner');
    await sendRubbish(['curtail.enforcement']);
    await noted[where].until((message) => pattern.test(message));
    await grant(rights.filter(missing));
    await noted.parked.first(1);
    await noted.published.first(1);
  });
});

function entryOf({ resource, name, operation }: Right, user: string): AclEntry {
  const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;
  return {
    resourceType: resource === 'topic' ? AclResourceTypes.TOPIC : AclResourceTypes.GROUP,
    resourceName: name,
    resourcePatternType: ResourcePatternTypes.LITERAL,
    principal: `User:${user}`,
    host: '*',
    operation: AclOperationTypes[operation],
    permissionType: AclPermissionTypes.ALLOW,
  };
}
