import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { KafkaOptions, KafkaSasl, RequestedTopics } from '#messaging/kafka';
import {
  constant,
  given,
  holdSecret,
  list,
  oneOf,
  optionalSetting,
  type SettingProblem,
  SettingsError,
  type SettingsOf,
  setting,
  text,
  textFile,
  wholeNumber,
  word,
  yesOrNo,
} from '#platform';
import { certificateProblems } from './own-certificate.js';

/** The connection to Kafka, and its topics. Without brokers the bus stays within the process. */
export const kafkaSettings = {
  kafkaBrokers: optionalSetting(
    'KAFKA_BROKERS',
    list({
      of: /^(\[[0-9A-Fa-f:.]+\]|[^\s:,/@]+):\d{1,5}$/,
      most: 50,
      right: 'host:port of some brokers, for example kafka-1:9092,kafka-2:9092',
    }),
    {
      help: 'Brokers of the Kafka that carries events; without it each service reads the log in the database',
    },
  ),
  kafkaClient: setting('CURTAIL_KAFKA_CLIENT', oneOf(['kafkajs', 'platformatic']), {
    default: 'kafkajs',
    help: 'Library that sends and receives; platformatic needs Node 22.22 or newer',
  }),
  kafkaTopicPrefix: setting(
    'CURTAIL_KAFKA_TOPIC_PREFIX',
    word({ of: /^[A-Za-z0-9._-]{0,64}$/, right: 'up to 64 letters, digits, . _ or -' }),
    {
      default: '',
      help: 'Prefix of every topic and group, and of the keys in Redis: of each installation another one, where they share servers',
    },
  ),
  kafkaTls: setting('CURTAIL_KAFKA_TLS', yesOrNo, {
    default: false,
    help: 'TLS to the brokers; also with any of the next three',
  }),
  kafkaCa: optionalSetting('CURTAIL_KAFKA_CA', textFile('certificates in PEM'), {
    help: 'Authorities that sign the certificates of the brokers; unset: those of the system',
  }),
  kafkaCert: optionalSetting('CURTAIL_KAFKA_CERT', textFile('a certificate in PEM'), {
    help: 'Certificate of this client, for brokers that require one (mTLS)',
  }),
  kafkaKey: optionalSetting('CURTAIL_KAFKA_KEY', textFile('a key in PEM'), {
    help: 'Key of that certificate',
    secret: 'file',
  }),
  kafkaSasl: optionalSetting(
    'CURTAIL_KAFKA_SASL',
    oneOf(['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer']),
    { help: 'How this client authenticates; unset: without credentials' },
  ),
  kafkaUsername: optionalSetting('CURTAIL_KAFKA_USERNAME', text({ min: 1, max: 256 }), {
    help: 'User name for plain and scram',
  }),
  kafkaPassword: optionalSetting('CURTAIL_KAFKA_PASSWORD', text({ min: 1, max: 1024 }), {
    help: 'Password of that user',
    secret: true,
  }),
  kafkaTokenFile: optionalSetting('CURTAIL_KAFKA_TOKEN_FILE', text({ min: 1, max: 4096 }), {
    help: 'File with the token of oauthbearer; it is read at every use',
    secret: 'file',
  }),
  kafkaManageTopics: setting('CURTAIL_KAFKA_MANAGE_TOPICS', yesOrNo, {
    default: true,
    help: 'Whether topics are created and adjusted; no: they are only checked',
  }),
  kafkaPartitions: setting('CURTAIL_KAFKA_PARTITIONS', wholeNumber({ min: 1, max: 1000 }), {
    default: 6,
    help: 'Partitions of a topic: the maximum number of processes of a service that share its work',
  }),
  /** Of messages: a week is longer than any service is away, and a service that was away for longer reads from the log. */
  kafkaRetentionHours: constant(168),
  /** For a connection to a broker; another one is tried next. */
  kafkaConnectMilliseconds: constant(3000),
  /** For an answer of a broker; the request is sent again. */
  kafkaRequestMilliseconds: constant(10_000),
  /** Without a heartbeat in this time, a service loses its partitions to others: the least that brokers accept by default. */
  kafkaSessionMilliseconds: constant(6000),
};
export type KafkaSettings = SettingsOf<typeof kafkaSettings>;

/**
 * @returns undefined without brokers.
 * @throws SettingsError when settings conflict.
 */
export function kafkaOptions(settings: KafkaSettings, clientId: string): KafkaOptions | undefined {
  if (settings.kafkaBrokers === undefined) return undefined;
  const problems: SettingProblem[] = [];
  const sasl = saslOf(settings, problems);
  const tls = given({
    ca: settings.kafkaCa,
    cert: settings.kafkaCert,
    key: settings.kafkaKey,
  });
  problems.push(...certificateProblems('CURTAIL_KAFKA', tls));
  if (settings.kafkaClient === 'platformatic') problems.push(...platformaticProblems());
  if (problems.length > 0) throw new SettingsError(problems);
  const hasTls = settings.kafkaTls || Object.keys(tls).length > 0;
  return {
    brokers: settings.kafkaBrokers,
    client: settings.kafkaClient,
    clientId,
    topicPrefix: settings.kafkaTopicPrefix,
    ...(hasTls ? { tls } : {}),
    ...(sasl ? { sasl } : {}),
    connectionTimeoutMs: settings.kafkaConnectMilliseconds,
    requestTimeoutMs: settings.kafkaRequestMilliseconds,
    sessionTimeoutMs: settings.kafkaSessionMilliseconds,
  };
}

/** It is an optional dependency, and needs a newer Node than Curtail does. */
export function platformaticProblems(version = process.versions.node): SettingProblem[] {
  const variable = 'CURTAIL_KAFKA_CLIENT';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < 22 || (major === 22 && minor < 22) || (major === 24 && minor < 6))
    return [
      {
        variable,
        wrong: `is platformatic, which needs Node 22.22 or 24.6, and this is ${version}`,
        remedy: 'set it to kafkajs, or use a newer Node',
      },
    ];
  try {
    createRequire(import.meta.url).resolve('@platformatic/kafka');
    return [];
  } catch {
    const wrong = 'is platformatic, and @platformatic/kafka is not installed';
    return [{ variable, wrong, remedy: 'install without --omit=optional, or set it to kafkajs' }];
  }
}

/** The required properties of topics. */
export function requestedTopics(settings: KafkaSettings): RequestedTopics {
  return {
    partitions: settings.kafkaPartitions,
    retentionMs: settings.kafkaRetentionHours * 3_600_000,
  };
}

function saslOf(settings: KafkaSettings, problems: SettingProblem[]): KafkaSasl | undefined {
  const { kafkaSasl: mechanism, kafkaUsername: username, kafkaPassword: password } = settings;
  const missing = (variable: string) =>
    problems.push({
      variable,
      wrong: 'is not set',
      remedy: `CURTAIL_KAFKA_SASL=${mechanism} needs it`,
    });
  switch (mechanism) {
    case undefined:
      if (username ?? password ?? settings.kafkaTokenFile) {
        problems.push({
          variable: 'CURTAIL_KAFKA_SASL',
          wrong: 'is not set, but there is a user, a password or a token',
          remedy: 'set how to use them: plain, scram-sha-256, scram-sha-512 or oauthbearer',
        });
      }
      return undefined;
    case 'oauthbearer':
      if (settings.kafkaTokenFile) return { mechanism, token: tokenIn(settings.kafkaTokenFile) };
      missing('CURTAIL_KAFKA_TOKEN_FILE');
      return undefined;
    default:
      if (username === undefined) missing('CURTAIL_KAFKA_USERNAME');
      if (password === undefined) missing('CURTAIL_KAFKA_PASSWORD');
      return username && password ? { mechanism, username, password } : undefined;
  }
}

function tokenIn(path: string): () => Promise<string> {
  return async () => {
    const token = (await readFile(path, 'utf8')).trim();
    holdSecret(token);
    return token;
  };
}
