import {
  address,
  given,
  optionalSetting,
  type SettingProblem,
  SettingsError,
  type SettingsOf,
  textFile,
} from '#platform';
import type { RedisOptions } from '#timers';
import type { KafkaSettings } from './kafka-settings.js';
import { certificateProblems } from './own-certificate.js';

/** The connection to the Redis of the wake-up queue. Without an address the queue is kept in the database. */
export const redisSettings = {
  redisUrl: optionalSetting(
    'REDIS_URL',
    address(['redis:', 'rediss:'], 'an address such as redis://host:6379, or rediss://host:6379 for TLS'),
    {
      help: 'Redis for wake-ups, with user and password if it has some; without it they are kept in the database',
      secret: true,
    },
  ),
  redisCa: optionalSetting('CURTAIL_REDIS_CA', textFile('certificates in PEM'), {
    help: 'Authorities that sign the certificate of Redis; unset: those of the system',
  }),
  redisCert: optionalSetting('CURTAIL_REDIS_CERT', textFile('a certificate in PEM'), {
    help: 'Certificate of this client, for a Redis that requires one',
  }),
  redisKey: optionalSetting('CURTAIL_REDIS_KEY', textFile('a key in PEM'), {
    help: 'Key of that certificate',
    secret: 'file',
  }),
};
export type RedisSettings = SettingsOf<typeof redisSettings>;

/**
 * @returns undefined without an address.
 * @throws SettingsError when settings conflict.
 */
export function redisOptions(
  settings: Partial<RedisSettings & Pick<KafkaSettings, 'kafkaTopicPrefix'>>,
): RedisOptions | undefined {
  const { redisUrl: url, kafkaTopicPrefix = '' } = settings;
  if (url === undefined) return undefined;
  const tls = given({ ca: settings.redisCa, cert: settings.redisCert, key: settings.redisKey });
  const problems: SettingProblem[] = [];
  if (Object.keys(tls).length > 0 && new URL(url).protocol !== 'rediss:') {
    problems.push({
      variable: 'REDIS_URL',
      wrong: 'has the scheme redis:, but there are settings for TLS',
      remedy: 'write rediss: in place of redis:',
    });
  }
  problems.push(...certificateProblems('CURTAIL_REDIS', tls));
  if (problems.length > 0) throw new SettingsError(problems);
  // The braces keep the keys together in a Redis Cluster.
  return { url, tls, prefix: `{${kafkaTopicPrefix}curtail}` };
}
