import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import kafkajs, { type Admin, Kafka, type KafkaConfig, logLevel } from 'kafkajs';
import { type SecuredKafka, startSecuredKafka } from '../index.js';

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;

/** One broker with every way in. A refusal must have the reason that the test expects. */
describe('a secured Kafka', () => {
  let secured: SecuredKafka;
  let admin: Admin;
  beforeAll(async () => {
    secured = await startSecuredKafka({ users: [{ name: 'planner', password: 'planner-secret' }] });
    admin = new Kafka({ brokers: secured.kafka.brokers, logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    await admin.createTopics({ topics: [{ topic: 'plans' }], waitForLeaders: true });
    await admin.createAcls({
      acl: [
        {
          resourceType: AclResourceTypes.TOPIC,
          resourceName: 'plans',
          resourcePatternType: ResourcePatternTypes.LITERAL,
          principal: 'User:planner',
          host: '*',
          operation: AclOperationTypes.WRITE,
          permissionType: AclPermissionTypes.ALLOW,
        },
      ],
    });
    await sendOnceAllowed(await mtls('planner'));
  });
  afterAll(async () => {
    await admin.disconnect();
    await secured.remove();
  });

  /** Sends one message by the way in that the settings describe. */
  async function send(config: KafkaConfig): Promise<void> {
    const kafka = new Kafka({
      logLevel: logLevel.NOTHING,
      retry: { retries: 1, initialRetryTime: 50 },
      ...config,
    });
    const producer = kafka.producer({
      idempotent: true,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
    });
    try {
      await producer.connect();
      await producer.send({ topic: 'plans', acks: -1, messages: [{ value: 'hello' }] });
    } finally {
      await producer.disconnect();
    }
  }
  /** A rule takes a moment until the broker goes by it. */
  async function sendOnceAllowed(config: KafkaConfig): Promise<void> {
    for (;;) {
      try {
        return await send(config);
      } catch (error) {
        if (!/[Aa]uthoriz/.test(String(error))) throw error;
      }
    }
  }
  const ca = () => ({ ca: [secured.authority.ca] });
  const sasl = (
    mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512',
    username: string,
    password: string,
  ): KafkaConfig =>
    ({ brokers: secured.brokers.sasl, ssl: ca(), sasl: { mechanism, username, password } }) as KafkaConfig;
  const jwt = async (subject: string, lifetimeSeconds?: number): Promise<KafkaConfig> => {
    const value = await secured.tokens.token(subject, lifetimeSeconds);
    const provider = async () => ({ value });
    return {
      brokers: secured.brokers.jwt,
      sasl: { mechanism: 'oauthbearer', oauthBearerProvider: provider },
    };
  };
  const mtls = async (name: string): Promise<KafkaConfig> => ({
    brokers: secured.brokers.mtls,
    ssl: { ...ca(), ...(await secured.authority.issue(name)) },
  });

  it.each(['plain', 'scram-sha-256', 'scram-sha-512'] as const)(
    'lets a user in by password (%s)',
    async (mechanism) => {
      await send(sasl(mechanism, 'planner', 'planner-secret'));
      await expect(send(sasl(mechanism, 'planner', 'wrong'))).rejects.toThrow(
        /[Aa]uthentication failed|credentials/,
      );
    },
  );

  it('lets a user in by a signed token, and not by one that has run out', async () => {
    await send(await jwt('planner'));
    await expect(send(await jwt('planner', -120))).rejects.toThrow();
  });

  it('lets a user in by a certificate, and no one without one', async () => {
    await send(await mtls('planner'));
    await expect(send({ brokers: secured.brokers.mtls, ssl: ca() })).rejects.toThrow();
  });

  it('encrypts, and is not believed by who does not trust its authority', async () => {
    await send({ brokers: secured.brokers.ssl, ssl: ca() });
    await expect(send({ brokers: secured.brokers.ssl, ssl: true })).rejects.toThrow(/certificate/);
  });

  it('lets no one do what no rule allows', async () => {
    await expect(send(await mtls('timer'))).rejects.toThrow(/[Aa]uthoriz/);
    await expect(send(await jwt('timer'))).rejects.toThrow(/[Aa]uthoriz/);
  });

  it('keeps users and rules when it is killed', async () => {
    await admin.disconnect();
    await secured.kafka.kill();
    await secured.kafka.start();
    await admin.connect();
    await sendOnceAllowed(sasl('scram-sha-512', 'planner', 'planner-secret'));
  });
});
