import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openKafka, openPostgres, openRedis, type Server } from '../../scripts/infra/index.js';
import { assertBuilt } from '../support/curtail-process.js';
import { type ServiceName, ServiceProcess, serviceApps } from '../support/service-process.js';

const needed: Record<ServiceName, string[]> = {
  'config-ingest': ['database', 'kafka'],
  timer: ['database', 'kafka', 'redis'],
  planner: ['database', 'kafka'],
  executor: ['database', 'kafka'],
  console: ['database', 'kafka'],
};

describe('each service alone, while its servers come and go', () => {
  let servers: Record<'database' | 'kafka' | 'redis', Server>;
  let environment: Record<string, string>;
  const spawned: ServiceProcess[] = [];
  const services: { service: ServiceProcess; url: string }[] = [];

  beforeAll(async () => {
    await assertBuilt();
    const [postgres, kafka, redis] = await Promise.all([openPostgres(), openKafka(), openRedis()]);
    servers = { database: postgres, kafka, redis };
    environment = {
      DATABASE_URL: postgres.url,
      KAFKA_BROKERS: kafka.brokers.join(','),
      REDIS_URL: redis.url,
      CURTAIL_DATABASE_POOL: '4',
    };
  });
  afterAll(async () => {
    await Promise.all(spawned.map((service) => service.kill()));
    await Promise.all(Object.values(servers).map((server) => server.remove()));
  });

  async function down(url: string): Promise<string[]> {
    const answer = await fetch(`${url}/readyz`);
    const { down: names = [] } = (await answer.json()) as { down?: string[] };
    expect(answer.status).toBe(names.length === 0 ? 200 : 503);
    return names;
  }
  /** Each service lacks what it needs of these, and nothing else. */
  async function allLack(names: string[]): Promise<void> {
    for (const { service, url } of services) {
      const lacking = needed[service.app].filter((name) => names.includes(name));
      while (String(await down(url)) !== String(lacking)) await delay(150);
    }
  }

  it('listens at once when there is no server yet, and states what it waits for, once', async () => {
    spawned.push(...serviceApps.map((app) => ServiceProcess.spawn(app, environment)));
    for (const service of spawned) services.push({ service, url: await service.listening() });
    for (const { url } of services) {
      expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: 'ok' });
    }
    await allLack(['database', 'kafka', 'redis']);
    for (const { service } of services) {
      await service.logged(new RegExp(`Waiting for ${needed[service.app].join(' .*, ')} `));
    }
    await servers.kafka.start();
    await servers.redis.start();
    await allLack(['database']);
    await servers.database.start();
    await allLack([]);
    for (const { service } of services) {
      await service.logged(/it answers at/);
      const missing = service.lines.all
        .filter((line) => /"msg":"(Waiting for|All servers are reachable)/.test(line))
        .map((line) => String((JSON.parse(line) as { checks?: string[] }).checks ?? []));
      // One line for each change of what is missing. A server that has just started may answer late, and be missing once more.
      expect(missing.filter((names, i) => names === missing[i - 1])).toEqual([]);
    }
  });

  it.each(['database', 'kafka', 'redis'] as const)(
    'notices that %s hangs, and that it continues',
    async (name) => {
      await servers[name].freeze();
      await allLack([name]);
      await servers[name].thaw();
      await allLack([]);
    },
  );

  it.each(['database', 'kafka', 'redis'] as const)('outlives a kill of %s', async (name) => {
    await servers[name].kill();
    await allLack([name]);
    await servers[name].start();
    await allLack([]);
  });

  it('ends in order on a signal, also while it waits', async () => {
    await Promise.all(Object.values(servers).map((server) => server.stop()));
    const waiting = ServiceProcess.spawn('planner', environment);
    await waiting.logged(/Waiting for/);
    expect(await waiting.stop()).toBe(0);
    await Promise.all(Object.values(servers).map((server) => server.start()));
    await allLack([]);
    expect(await Promise.all(services.map(({ service }) => service.stop()))).toEqual([0, 0, 0, 0, 0]);
  });
});
