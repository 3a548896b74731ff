import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import kafkajs, { type Admin } from 'kafkajs';
import { TestKafka } from '../../../../test/support/kafka.js';
import { ensureTopics } from './ensure-topics.js';
import { planTopics, type RequestedTopics } from './topics.js';

describe('ensureTopics', () => {
  let kafka: TestKafka;
  let admin: Admin;
  beforeEach(async () => {
    kafka = new TestKafka(`test-${randomUUID()}.`);
    admin = kafka.connection.admin();
    await admin.connect();
  });
  afterEach(async () => {
    await admin.disconnect();
    await kafka.close();
  });

  const name = () => kafka.connection.topicName('curtail.plans');
  const ensure = (requested: RequestedTopics, manage = true) =>
    ensureTopics(kafka.connection, planTopics({ partitions: 2, ...requested }), { manage });
  /** A change is visible a moment later. */
  async function settled(topic: string, wanted: Record<string, string>): Promise<void> {
    for (;;) {
      const there = await settingsOf(topic);
      if (Object.entries(wanted).every(([setting, value]) => there[setting] === value)) return;
    }
  }
  const settingsOf = async (topic: string) => {
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: topic }],
    });
    return Object.fromEntries(resources[0]!.configEntries.map((one) => [one.configName, one.configValue]));
  };
  const partitionsOf = async (topic: string) =>
    (await admin.fetchTopicMetadata({ topics: [topic] })).topics[0]!.partitions.length;

  it('creates missing topics as requested, and changes nothing afterwards', async () => {
    const made = await ensure({ retentionMs: 3_600_000, only: { 'curtail.plans': { partitions: 4 } } });
    expect(made.created).toContain(name());
    expect(await partitionsOf(name())).toBe(4);
    expect(await partitionsOf(kafka.connection.topicName('curtail.quota'))).toBe(2);
    await settled(name(), { 'retention.ms': '3600000', 'max.message.bytes': '8388608' });
    expect(await ensure({ retentionMs: 3_600_000, only: { 'curtail.plans': { partitions: 4 } } })).toEqual({
      created: [],
      changed: [],
      left: [],
      missing: [],
    });
  });

  it('makes the brokers decompress messages of others, and never compress in a format that Curtail cannot read', async () => {
    await ensure({});
    const inbound = kafka.connection.topicName('curtail.inventory');
    await settled(inbound, { 'compression.type': 'uncompressed' });
    await settled(name(), { 'compression.type': 'producer' });
    for (const [topic, value] of [
      ['curtail.inventory', 'producer'],
      ['curtail.plans', 'zstd'],
      ['curtail.quota', 'gzip'],
    ] as const) {
      await kafka.setOnTopic(topic, { 'compression.type': value });
      await settled(kafka.connection.topicName(topic), { 'compression.type': value });
    }
    const { changed } = await ensure({});
    expect(changed.filter((line) => line.includes('compression')).sort()).toEqual([
      `${inbound}: compression.type uncompressed, producer before`,
      `${name()}: compression.type producer, zstd before`,
    ]);
  });

  it('changes settings that differ from the request, and leaves all others', async () => {
    await ensure({});
    await kafka.setOnTopic('curtail.plans', { 'segment.bytes': '1048576', 'max.message.bytes': '8388608' });
    await settled(name(), { 'segment.bytes': '1048576' });
    const { changed } = await ensure({ retentionMs: 7_200_000, partitions: 3 });
    expect(changed).toContain(`${name()}: 3 partitions, 2 before`);
    await settled(name(), {
      'retention.ms': '7200000',
      'segment.bytes': '1048576',
      'max.message.bytes': '8388608',
    });
    expect(await partitionsOf(name())).toBe(3);
  });

  it('never removes partitions, and reports so', async () => {
    await ensure({ partitions: 3 });
    const { left } = await ensure({ partitions: 2 });
    expect(left).toContain(`${name()}: has 3 partitions, 2 are configured; partitions are never removed`);
    expect(await partitionsOf(name())).toBe(3);
  });

  it('adds no partitions while a group has messages to read, or events are not published, with the remedy', async () => {
    await ensure({});
    const producer = kafka.connection.producer();
    await producer.connect();
    await producer.send({
      topic: name(),
      messages: [
        { value: '1', partition: 0 },
        { value: '2', partition: 0 },
      ],
    });
    await producer.disconnect();
    const group = kafka.connection.groupName('executor');
    const commit = (offset: string) => kafka.moveOffset('executor', 'curtail.plans', offset);
    const grow = (waiting: number) =>
      ensureTopics(kafka.connection, planTopics({ partitions: 3 }), { unpublished: async () => waiting });
    await commit('1');
    const lagging = await grow(7);
    expect(lagging.left.find((line) => line.startsWith(name()))).toBe(
      `${name()}: keeps 2 of 3 configured partitions, since ${group} has 1 message of it to read, 7 events of the log are not ` +
        'published yet: with more partitions, later messages of a key could be read before earlier ones. Submit nothing until ' +
        'curtail_consumer_lag_events and curtail_relay_behind_events are 0, then restart this service',
    );
    expect(await partitionsOf(name())).toBe(2);
    await commit('2');
    expect((await grow(7)).changed).toEqual([]);
    expect((await grow(0)).changed).toContain(`${name()}: 3 partitions, 2 before`);
  });

  it('waits for the leaders of partitions that are new', async () => {
    await ensure({ only: { 'curtail.plans': { partitions: 100 } } });
    const { changed } = await ensure({ only: { 'curtail.plans': { partitions: 101 } } });
    expect(changed).toContain(`${name()}: 101 partitions, 100 before`);
  });

  it('never sets compaction, and only reports a topic on which it is set', async () => {
    await ensure({});
    await settled(name(), { 'cleanup.policy': 'delete' });
    await kafka.setOnTopic('curtail.plans', { 'cleanup.policy': 'compact' });
    await settled(name(), { 'cleanup.policy': 'compact' });
    const { left } = await ensure({});
    expect(left).toEqual([
      `${name()}: cleanup.policy is compact, so older messages of a key are removed; run kafka-configs.sh ` +
        `--bootstrap-server BROKER --alter --entity-type topics --entity-name ${name()} --add-config cleanup.policy=delete`,
    ]);
    expect((await settingsOf(name()))['cleanup.policy']).toBe('compact');
  });

  it('does it for several at once', async () => {
    await Promise.all([ensure({}), ensure({}), ensure({})]);
    expect(await partitionsOf(name())).toBe(2);
  });

  it('changes nothing when it must not, and names what is missing', async () => {
    expect((await ensure({}, false)).missing).toContain(name());
    expect(await admin.listTopics()).not.toContain(name());
  });
});
