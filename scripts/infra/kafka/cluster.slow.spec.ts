import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import kafkajs, { Kafka, logLevel } from 'kafkajs';
import { deadLettersTopic, ensureTopics, openKafka, planTopics } from '#messaging/kafka';
import { type KafkaCluster, startKafkaCluster } from '../index.js';

describe('three brokers', () => {
  let cluster: KafkaCluster;
  beforeAll(async () => {
    // The defaults of the brokers are not enough.
    cluster = await startKafkaCluster({ settings: { 'min.insync.replicas': 1 } });
  });
  afterAll(() => cluster.remove());

  it('have the topics of Curtail acknowledged by two, and name one that is acknowledged by one', async () => {
    const connection = openKafka({ brokers: cluster.brokers, clientId: 'test' });
    const topics = [deadLettersTopic, 'curtail.plans'];
    const plans = (replication?: number) =>
      planTopics({ partitions: 1, ...(replication === undefined ? {} : { replication }) }).filter(
        ({ topic }) => topic === topics[replication === undefined ? 0 : 1],
      );
    await ensureTopics(connection, [...plans(), ...plans(3)]);
    const admin = connection.admin();
    await admin.connect();
    const inSync = async (topic: string) => {
      const { resources } = await admin.describeConfigs({
        includeSynonyms: false,
        resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: topic }],
      });
      const found = resources[0]!.configEntries.find(
        ({ configName }) => configName === 'min.insync.replicas',
      );
      return found?.configValue;
    };
    // A broker may be asked that does not know them yet.
    for (const topic of topics) while ((await inSync(topic)) !== '2');
    await admin.alterConfigs({
      validateOnly: false,
      resources: [
        {
          type: kafkajs.ConfigResourceTypes.TOPIC,
          name: 'curtail.plans',
          configEntries: [{ name: 'min.insync.replicas', value: '1' }],
        },
      ],
    });
    // A broker may be asked that does not know of the change yet.
    const leftAlone = async () => (await ensureTopics(connection, plans(3))).left;
    let left = await leftAlone();
    while (left.length === 0) left = await leftAlone();
    expect(left).toEqual([
      'curtail.plans: min.insync.replicas is 1, so a message may be acknowledged by one broker alone and lost with it; run ' +
        'kafka-configs.sh --bootstrap-server BROKER --alter --entity-type topics --entity-name curtail.plans --add-config min.insync.replicas=2',
    ]);
    await admin.disconnect();
  });

  it('have topics created one after the other, whichever broker knows them first', async () => {
    for (let number = 0; number < 15; number++) {
      const connection = openKafka({
        brokers: cluster.brokers,
        clientId: 'test',
        topicPrefix: `${number}.`,
      });
      const plans = planTopics({ partitions: 1 }).slice(0, 2);
      const { created } = await ensureTopics(connection, plans);
      expect(created).toEqual(plans.map(({ topic }) => `${number}.${topic}`));
    }
  });

  it('keep three copies, take what two can keep while one is dead, and have it back', async () => {
    const kafka = new Kafka({
      brokers: cluster.brokers,
      logLevel: logLevel.NOTHING,
      retry: { initialRetryTime: 100, maxRetryTime: 1000, retries: 100 },
    });
    const admin = kafka.admin();
    await admin.connect();
    await admin.createTopics({ topics: [{ topic: 'copies' }], waitForLeaders: true });
    // The broker that is asked may not know the topic yet.
    const partition = async () => {
      for (;;) {
        const found = await admin.fetchTopicMetadata({ topics: ['copies'] }).catch((error) => {
          if (error.type !== 'UNKNOWN_TOPIC_OR_PARTITION') throw error;
        });
        if (found) return found.topics[0]?.partitions[0];
      }
    };
    expect([...((await partition())?.replicas ?? [])].sort()).toEqual([1, 2, 3]);

    const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1 });
    await producer.connect();
    const leader = (await partition())?.leader as number;
    const lost = cluster.nodes[leader - 1]!;
    await lost.kill();
    await producer.send({ topic: 'copies', acks: -1, messages: [{ value: 'with two' }] });
    expect((await partition())?.leader).not.toBe(leader);

    await lost.start();
    expect(await lost.answers()).toBe(true);
    await producer.disconnect();
    await admin.disconnect();
  });
});
