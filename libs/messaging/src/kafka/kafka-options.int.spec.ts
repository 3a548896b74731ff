import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SecuredKafka, startSecuredKafka } from '../../../../scripts/infra/index.js';
import { kafkaClients } from '../../../../test/support/kafka.js';
import type { KafkaOptions } from './kafka-options.js';
import { describeTrouble } from './kafka-trouble.js';
import { openKafka, probeKafka } from './open-kafka.js';

describe.each(kafkaClients)('connections with %s to a secured broker', (client) => {
  let secured: SecuredKafka;
  beforeAll(async () => {
    secured = await startSecuredKafka({ users: [{ name: 'planner', password: 'planner-secret' }] });
  });
  afterAll(() => secured.remove());

  const tls = () => ({ ca: secured.authority.ca });
  const probe = (options: Omit<KafkaOptions, 'clientId'>) =>
    client === 'kafkajs'
      ? probeKafka({ clientId: 'test', ...options }, 5000)
      : openAndClose({ clientId: 'test', client, ...options });
  const withPassword = (mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512', password: string) =>
    probe({ brokers: secured.brokers.sasl, tls: tls(), sasl: { mechanism, username: 'planner', password } });
  const withToken = (token: () => Promise<string>) =>
    probe({ brokers: secured.brokers.jwt, sasl: { mechanism: 'oauthbearer', token } });

  it('succeed with TLS, with a password, with a certificate, and with a token', async () => {
    await probe({ brokers: secured.brokers.ssl, tls: tls() });
    await withPassword('scram-sha-256', 'planner-secret');
    await withPassword('scram-sha-512', 'planner-secret');
    await withPassword('plain', 'planner-secret');
    await probe({
      brokers: secured.brokers.mtls,
      tls: { ...tls(), ...(await secured.authority.issue('planner')) },
    });
    await withToken(() => secured.tokens.token('planner'));
  });

  it('request a token each time, and report a refused one', async () => {
    let lifetimeSeconds = -60;
    const token = () => secured.tokens.token('planner', lifetimeSeconds);
    await expect(withToken(token)).rejects.toThrow('refuses an OAUTHBEARER token');
    lifetimeSeconds = 300;
    await withToken(token);
  });

  it.each(['plain', 'scram-sha-256', 'scram-sha-512'] as const)(
    'report a wrong password with %s, without revealing it',
    async (mechanism) => {
      const refusal = withPassword(mechanism, 'not-the-secret');
      await expect(refusal).rejects.toThrow('refuses the user or the password');
      await expect(refusal).rejects.not.toThrow('not-the-secret');
    },
  );

  it('report an untrusted authority, and plain text in place of TLS', async () => {
    await expect(probe({ brokers: secured.brokers.ssl, tls: {} })).rejects.toThrow('set the CA that did');
    await expect(probe({ brokers: secured.brokers.ssl })).rejects.toThrow('a TLS port receives plain text');
  });
});

/** A consumer opens all kinds of connections. */
async function openAndClose(options: KafkaOptions): Promise<void> {
  const consumer = openKafka(options).consumer('a-group');
  try {
    await consumer.connect();
  } catch (error) {
    throw describeTrouble(error, { doing: 'connecting' });
  } finally {
    await consumer.disconnect();
  }
}
