import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { StatusView } from '#contracts/api';
import { migrateDatabase } from '#event-store';
import { migrations } from '#migrations';
import { readSettings } from '#platform';
import { curtailSettings } from '#runtime';
import { curtail } from '../../apps/curtail/testing/test-terminal.js';
import { type Server, startKafka, startPostgres, startRedis } from '../../scripts/infra/index.js';
import { EmbeddedSystem } from '../support/embedded-system.js';

let servers: Record<'database' | 'kafka' | 'redis', Server>;
let system: EmbeddedSystem;
let partition: string;

beforeAll(async () => {
  const [database, kafka, redis] = await Promise.all([startPostgres(), startKafka(), startRedis()]);
  servers = { database, kafka, redis };
  await migrateDatabase(database.url, migrations);
  const { kafkaBrokers, redisUrl, cluster } = readSettings(curtailSettings, {
    DATABASE_URL: database.url,
    KAFKA_BROKERS: kafka.brokers.join(','),
    REDIS_URL: redis.url,
    CURTAIL_CLUSTER: 'inventory',
  });
  system = await EmbeddedSystem.start(
    { kafkaBrokers, redisUrl, cluster },
    { url: database.url, drop: async () => {} },
  );
  const configured = system.partition();
  partition = configured.name;
  await configured.configure({ a: { max: { memory: 100 }, delay: '1h' } });
  await allUp();
});
afterAll(async () => {
  await system?.stop();
  await Promise.all(Object.values(servers ?? {}).map((server) => server.remove()));
});

const status = () => system.get<StatusView>(`/v1/status?partition=${partition}`);
const down = async () => (await status()).down?.map(({ name }) => name) ?? [];
const allUp = () => system.until('all servers to be up', async () => (await down()).length === 0);
const call = (...argv: string[]) =>
  curtail(['--server', system.url, '--no-color', ...argv, '--partition', partition], { columns: 200 });

/** The screen with a server down: it is there although that server never answers. */
async function screen(): Promise<{ first: string; rest: string }> {
  const { stdout, stderr, status: code } = await call('status', '-o', 'table');
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  const [first = '', ...rest] = stdout.split('\n');
  return { first, rest: rest.join('\n') };
}

describe('status, while a server is down', () => {
  it.each(['freeze', 'kill'] as const)('names Kafka first (%s), and has the partitions', async (how) => {
    await servers.kafka[how]();
    const { first, rest } = await screen();
    expect(first).toMatch(/^DOWN: kafka \(/);
    expect(rest).toContain('Kafka does not answer');
    expect(rest).toContain(`Partition ${partition}: `);
    expect(rest).toContain('it is not known how far consumers are behind');
    // A partition whose reports may be unread is named too, without a wait for Kafka for each of its parts.
    expect((await status()).partitions).toMatchObject([{ partition, inventory: { known: false } }]);

    // The brake is not slower for that.
    expect((await call('stop', '--reason', 'night')).status).toBe(0);
    expect((await call('resume')).stdout).toContain('1 stop was cleared');
    expect((await call('freeze', '--duration', 'PT1H')).status).toBe(0);
    expect((await call('unfreeze')).status).toBe(0);
    expect(await system.refused('POST', '/v1/enforcements/e-000000000000/cancel', {})).toMatchObject({
      status: 404,
    });
    expect(await system.refused('POST', '/v1/enforcements/e-000000000000/reject', {})).toMatchObject({
      status: 404,
    });
    await (how === 'freeze' ? servers.kafka.thaw() : servers.kafka.start());
    await allUp();
  });

  it('names Redis first', async () => {
    await servers.redis.kill();
    const { first, rest } = await screen();
    expect(first).toMatch(/^DOWN: redis \(/);
    expect(rest).toContain('wake-ups may be late');
    expect(rest).toContain(`Partition ${partition}: `);
    await servers.redis.start();
    await allUp();
  });

  it.each(['freeze', 'kill'] as const)(
    'names the database first (%s), and says that nothing else is known',
    async (how) => {
      await servers.database[how]();
      const { first, rest } = await screen();
      expect(first).toMatch(/^DOWN: database \(/);
      expect(rest).toContain('The database does not answer');
      expect(rest).toContain('Nothing else is known while the database does not answer.');
      expect(rest).not.toContain('No configuration is in force');
      // Again, while the statements of the first still wait.
      expect(await status()).toMatchObject({
        incomplete: true,
        partitions: [],
        down: [{ name: 'database' }],
      });
      await (how === 'freeze' ? servers.database.thaw() : servers.database.start());
      await allUp();
      expect((await status()).partitions).toMatchObject([{ partition }]);
    },
  );
});
