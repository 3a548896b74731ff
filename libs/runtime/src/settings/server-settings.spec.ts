import { createPrivateKey } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { readSettings, SettingsError } from '#platform';
import { makeAuthority } from '../../../../scripts/infra/secured/authority.js';
import { kafkaOptions, kafkaSettings, platformaticProblems, requestedTopics } from './kafka-settings.js';
import { kubernetesSettings } from './kubernetes-settings.js';
import { redisOptions, redisSettings } from './redis-settings.js';

const folder = mkdtempSync(join(tmpdir(), 'curtail-server-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const authority = await makeAuthority();
const own = await authority.issue('timer');
const encryptedKey = createPrivateKey(own.key).export({
  type: 'pkcs8',
  format: 'pem',
  cipher: 'aes-256-cbc',
  passphrase: 'opensesame',
}) as string;
const ca = file('ca.pem', authority.ca);
const cert = file('cert.pem', own.cert);
const key = file('key.pem', own.key);
const encrypted = file('encrypted.pem', encryptedKey);
const ofAnother = file('another.pem', (await authority.issue('timer')).key);
const token = file('token', ' the token\n');

type Environment = Record<string, string>;
const kafka = (env: Environment) => kafkaOptions(readSettings(kafkaSettings, env), 'curtail-timer');
const redis = (env: Environment) => redisOptions(readSettings({ ...redisSettings, ...kafkaSettings }, env));
function wrong(read: () => unknown): string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof SettingsError) return error.message.split('\n').slice(1);
    throw error;
  }
  return [];
}
const brokers = { KAFKA_BROKERS: 'one:9092, [::1]:9093' };

describe('the settings of Kafka', () => {
  it('are none without brokers', () => {
    expect(kafka({ CURTAIL_KAFKA_SASL: 'plain' })).toBeUndefined();
  });

  it('are plain addresses with limits of their own', () => {
    expect(kafka(brokers)).toEqual({
      brokers: ['one:9092', '[::1]:9093'],
      client: 'kafkajs',
      clientId: 'curtail-timer',
      topicPrefix: '',
      connectionTimeoutMs: 3000,
      requestTimeoutMs: 10_000,
      sessionTimeoutMs: 6000,
    });
    expect(requestedTopics(readSettings(kafkaSettings, brokers))).toEqual({
      partitions: 6,
      retentionMs: 7 * 86_400_000,
    });
  });

  it.each(['20.20.2', '22.21.1', '24.5.0'])(
    'refuse the other client on Node %s, with the remedy',
    (version) => {
      expect(platformaticProblems(version)).toEqual([
        {
          variable: 'CURTAIL_KAFKA_CLIENT',
          wrong: `is platformatic, which needs Node 22.22 or 24.6, and this is ${version}`,
          remedy: 'set it to kafkajs, or use a newer Node',
        },
      ]);
    },
  );

  it.each(['22.22.0', '24.6.0', '26.0.0'])(
    'accept the other client on Node %s where it is installed',
    (version) => {
      const missing = '@platformatic/kafka is not installed';
      expect(platformaticProblems(version).filter(({ wrong }) => !wrong.includes(missing))).toEqual([]);
    },
  );

  it('read certificates and keys from files, which mean TLS', () => {
    const files = { CURTAIL_KAFKA_CA: ca, CURTAIL_KAFKA_CERT: cert, CURTAIL_KAFKA_KEY: key };
    expect(kafka({ ...brokers, ...files })?.tls).toEqual({ ca: authority.ca, cert: own.cert, key: own.key });
    expect(kafka({ ...brokers, CURTAIL_KAFKA_TLS: 'yes' })?.tls).toEqual({});
  });

  it('authenticate the client', async () => {
    const user = { CURTAIL_KAFKA_USERNAME: 'timer', CURTAIL_KAFKA_PASSWORD: 'pw' };
    const scram = kafka({ ...brokers, ...user, CURTAIL_KAFKA_SASL: 'scram-sha-512' });
    expect(scram?.sasl).toEqual({ mechanism: 'scram-sha-512', username: 'timer', password: 'pw' });

    const bearer = { CURTAIL_KAFKA_SASL: 'oauthbearer', CURTAIL_KAFKA_TOKEN_FILE: token };
    const sasl = kafka({ ...brokers, ...bearer })?.sasl;
    if (sasl?.mechanism !== 'oauthbearer') throw new Error('another mechanism');
    expect(await sasl.token()).toBe('the token');
    file('token', 'the next one');
    expect(await sasl.token()).toBe('the next one');
  });

  it.each<[Environment, string[]]>([
    [{ CURTAIL_KAFKA_SASL: 'plain' }, ['CURTAIL_KAFKA_USERNAME', 'CURTAIL_KAFKA_PASSWORD']],
    [{ CURTAIL_KAFKA_SASL: 'oauthbearer' }, ['CURTAIL_KAFKA_TOKEN_FILE']],
    [{ CURTAIL_KAFKA_PASSWORD: 'hunter22' }, ['CURTAIL_KAFKA_SASL']],
    [{ CURTAIL_KAFKA_CERT: cert }, ['CURTAIL_KAFKA_KEY']],
    [
      { CURTAIL_KAFKA_KEY: key, CURTAIL_KAFKA_SASL: 'oauthbearer' },
      ['CURTAIL_KAFKA_TOKEN_FILE', 'CURTAIL_KAFKA_CERT'],
    ],
    [{ CURTAIL_KAFKA_CA: join(folder, 'absent.pem') }, ['CURTAIL_KAFKA_CA']],
    [
      { CURTAIL_KAFKA_CA: token, CURTAIL_KAFKA_CERT: key, CURTAIL_KAFKA_KEY: key },
      ['CURTAIL_KAFKA_CA', 'CURTAIL_KAFKA_CERT'],
    ],
    [{ CURTAIL_KAFKA_CERT: cert, CURTAIL_KAFKA_KEY: ofAnother }, ['CURTAIL_KAFKA_KEY']],
    [{ CURTAIL_KAFKA_CERT: cert, CURTAIL_KAFKA_KEY: encrypted }, ['CURTAIL_KAFKA_KEY']],
    [{ KAFKA_BROKERS: 'kafka://one:9092' }, ['KAFKA_BROKERS']],
    [{ KAFKA_BROKERS: 'one' }, ['KAFKA_BROKERS']],
    [{ KAFKA_BROKERS: 'one:9092,,two:9092' }, ['KAFKA_BROKERS']],
    [{ CURTAIL_KAFKA_TOPIC_PREFIX: 'a b' }, ['CURTAIL_KAFKA_TOPIC_PREFIX']],
    [{ CURTAIL_KAFKA_TLS: 'maybe' }, ['CURTAIL_KAFKA_TLS']],
  ])('that conflict are reported by name: %j', (env, variables) => {
    const problems = wrong(() => kafka({ ...brokers, ...env }));
    expect(problems.map((line) => line.trim().split(' ')[0])).toEqual(variables);
    expect(problems.join()).not.toContain('hunter22');
  });
});

describe('the settings of Redis', () => {
  it('are none without an address', () => {
    expect(redis({})).toBeUndefined();
  });

  it('are an address, and the identity of the client', () => {
    expect(redis({ REDIS_URL: 'redis://one:6379' })).toEqual({
      url: 'redis://one:6379',
      tls: {},
      prefix: '{curtail}',
    });
    const all = {
      REDIS_URL: 'rediss://timer:pw@one:6379',
      CURTAIL_REDIS_CA: ca,
      CURTAIL_REDIS_CERT: cert,
      CURTAIL_REDIS_KEY: key,
      CURTAIL_KAFKA_TOPIC_PREFIX: 'mine.',
    };
    expect(redis(all)).toEqual({
      url: 'rediss://timer:pw@one:6379',
      prefix: '{mine.curtail}',
      tls: { ca: authority.ca, cert: own.cert, key: own.key },
    });
  });

  it.each<[Environment, string[]]>([
    [{ REDIS_URL: 'http://one:6379' }, ['REDIS_URL']],
    [{ CURTAIL_REDIS_CA: ca }, ['REDIS_URL']],
    [{ REDIS_URL: 'rediss://one', CURTAIL_REDIS_CERT: cert }, ['CURTAIL_REDIS_KEY']],
    [
      { REDIS_URL: 'rediss://one', CURTAIL_REDIS_CERT: cert, CURTAIL_REDIS_KEY: encrypted },
      ['CURTAIL_REDIS_KEY'],
    ],
  ])('that conflict are reported by name: %j', (env, variables) => {
    const problems = wrong(() => redis({ REDIS_URL: 'redis://one:6379', ...env }));
    expect(problems.map((line) => line.trim().split(' ')[0])).toEqual(variables);
  });
});

describe('the delay of namespaces without one', () => {
  const read = (delay: string) =>
    readSettings(kubernetesSettings, { CURTAIL_KUBERNETES_DELAY: delay }).kubernetesDelay;

  it.each(['0', '10m', '1h30m', '300'])('may be %s', (delay) => {
    expect(read(delay)).toBe(delay);
  });

  it('is refused at the start where it is no duration', () => {
    expect(() => read('ten minutes')).toThrow(SettingsError);
    expect(() => read('ten minutes')).toThrow(/CURTAIL_KUBERNETES_DELAY.*a duration such as 10m/s);
  });
});
