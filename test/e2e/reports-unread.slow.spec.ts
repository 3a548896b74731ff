import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Consumer, Producer } from 'kafkajs';
import type { DataSource } from 'typeorm';
import { openDatabase } from '#event-store';
import { cloudEvent, received } from '../../examples/platform-service/typescript/cloud-events.js';
import { assertBuilt } from '../support/curtail-process.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { TestKafka } from '../support/kafka.js';
import { configuration, type QueueSpec } from '../support/queue-spec.js';
import { onOwnKafkaAndRedis } from '../support/service-group.js';
import { type RunningService, type ServiceName, ServiceProcess } from '../support/service-process.js';

const partition = 'default';
const gb = 1_000_000_000;
const ids = Array.from({ length: 10 }, (_, index) => `a-${index + 1}`);

/**
 * Ten allocations of 10 GB in a queue with 50 GB guaranteed, whose quota is lowered to 60 GB. The service that applies reports is
 * stopped, and the scheduler reports that four of them have ended. A service that goes by what is applied would evict four others.
 */
describe('releases that are on the topic and not applied', () => {
  let database: TestDatabase;
  let db: DataSource;
  let environment: Record<string, string>;
  let kafka: TestKafka;
  let producer: Producer;
  let requests: Consumer;
  const services = new Map<ServiceName, RunningService>();
  let sequence = Date.now() * 1000;
  let queues = 0;
  const quotas: Record<string, QueueSpec> = {};

  beforeAll(async () => {
    await assertBuilt();
    database = await createMigratedDatabase();
    db = await openDatabase(database.url);
    environment = {
      ...onOwnKafkaAndRedis(),
      DATABASE_URL: database.url,
      CURTAIL_CLUSTER: 'inventory',
      CURTAIL_GRACE_SECONDS: '0',
      CURTAIL_INVENTORY_STALE_SECONDS: '600',
      // So that a run can be held between its plan and its first eviction.
      CURTAIL_APPROVE_ABOVE_VICTIMS: '3',
    };
    kafka = new TestKafka(environment.CURTAIL_KAFKA_TOPIC_PREFIX!, { partitions: 6 });
    await kafka.topics.ready();
    producer = kafka.connection.producer();
    await producer.connect();
    const ingest = await start('config-ingest');
    for (const app of ['timer', 'planner', 'executor', 'console'] as const) {
      await start(app, { CURTAIL_CONFIG_INGEST: ingest.url });
    }
    await obey();
  });
  afterAll(async () => {
    await requests?.disconnect();
    await producer?.disconnect();
    await Promise.all([...services.values()].map((service) => service.stop()));
    await kafka?.close();
    await db?.destroy();
    await database?.drop();
  });

  async function start(app: ServiceName, more: Record<string, string> = {}): Promise<RunningService> {
    const service = await ServiceProcess.start(app, { ...environment, ...more });
    services.set(app, service);
    return service;
  }
  /** Stands for a scheduler: it evicts as requested, and reports that. */
  async function obey(): Promise<void> {
    requests = kafka.connection.consumer(`${kafka.prefix}scheduler`);
    await requests.connect();
    await requests.subscribe({ topics: [`${kafka.prefix}curtail.evictions.requests`], fromBeginning: true });
    await requests.run({
      eachMessage: async ({ message }) => {
        const event = received<{ evictionId: string; attempt: number; allocation: string; queue: string }>(
          message,
        );
        const { evictionId, attempt, allocation, queue } = event.data();
        const answer = { evictionId, attempt, answer: 'accepted' };
        await send('curtail.evictions.answers', 'eviction.answered', queue, answer);
        await release(queue, allocation);
      },
    });
  }
  const send = (topic: string, type: string, key: string, data: object) =>
    producer.send({
      topic: kafka.prefix + topic,
      messages: [cloudEvent('/test', `io.curtail.${type}.v1`, key, data)],
    });
  const report = (type: string, key: string, data: object = {}) =>
    send('curtail.inventory', type, key, { partition, sequence: ++sequence, ...data });
  const release = (queue: string, id: string) => report('allocation.released', queue, { id, uid: id });
  const list = (queue: string) =>
    report('inventory.listed', partition, {
      page: 1,
      last: true,
      allocations: ids.map((id, index) => ({
        id: `${queue}/${id}`,
        uid: `${queue}/${id}`,
        application: 'app',
        queue,
        resources: { memory: 10 * gb },
        startedAt: new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString(),
      })),
    });
  /** A queue of its own, with a lowered quota that is due soon. */
  async function lower(delay: string, max: number): Promise<string> {
    const name = `q${++queues}`;
    await list(`root.${name}`);
    await configure(name, delay, max);
    return `root.${name}`;
  }
  async function configure(name: string, delay: string, max: number): Promise<void> {
    quotas[name] = { max: { memory: max * gb }, guaranteed: { memory: 50 * gb }, delay };
    const applied = await fetch(`${services.get('config-ingest')!.url}/v1/partitions/${partition}/config`, {
      method: 'PUT',
      body: JSON.stringify(configuration(partition, quotas)),
      headers: { 'Content-Type': 'application/json' },
    });
    expect([applied.status, await applied.text()]).toEqual([200, expect.stringMatching('version')]);
  }
  const eventsOf = (
    key: string,
    ...types: string[]
  ): Promise<{ type: string; data: Record<string, unknown> }[]> =>
    db.query(
      'SELECT type, data FROM events WHERE key = $1 AND type = ANY ($2) ORDER BY transaction_id, position',
      [key, types.map((type) => `io.curtail.${type}.v1`)],
    );
  const usage = async (queue: string) => {
    const rows = await db.query<{ usage: string }[]>(
      "SELECT usage::text FROM inventory_usage WHERE queue = $1 AND type = 'memory'",
      [queue],
    );
    return Number(rows[0]?.usage ?? 0) / gb;
  };
  const until = async (isSo: () => Promise<boolean>) => {
    while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  const has = (key: string, type: string) => until(async () => (await eventsOf(key, type)).length > 0);
  const status = async () =>
    (await fetch(`${services.get('console')!.url}/v1/inventory`)).json() as Promise<{
      items: { known: boolean; notices: { code: string; message: string }[] }[];
      unread: { place: string; reports: number }[];
    }>;

  it('keep a clock that is due waiting; afterwards nothing is left to evict', async () => {
    // Time for a service to stop.
    const queue = await lower('15s', 60);
    await has(queue, 'enforcement.scheduled');
    await services.get('config-ingest')!.stop();
    for (const id of ids.slice(0, 4)) await release(queue, `${queue}/${id}`);
    await send('curtail.inventory', 'inventory.confirmed', partition, { partition, lastSequence: sequence });

    await services.get('timer')!.logged(/"reason":"[^"]*reports are not applied yet.*"Due timers wait\."/);
    expect(await eventsOf(queue, 'enforcement.started')).toEqual([]);
    const { items, unread } = await status();
    expect(items).toMatchObject([{ known: false, notices: [{ code: 'reports-unread' }] }]);
    expect(unread.reduce((sum, { reports }) => sum + reports, 0)).toBe(5);

    await start('config-ingest');
    await has(queue, 'enforcement.cancelled');
    expect(await eventsOf(queue, 'enforcement.cancelled')).toMatchObject([{ data: { cause: 'not-needed' } }]);
    expect(await usage(queue)).toBe(60);
    expect(await eventsOf(queue, 'eviction.requested', 'enforcement.started')).toEqual([]);
    expect((await status()).items).toMatchObject([{ known: true, notices: [] }]);
  });

  it('keep a run between two evictions waiting; afterwards it evicts no more than is needed', async () => {
    const queue = await lower('100ms', 60);
    await has(queue, 'enforcement.opened');
    const [opened] = await eventsOf(queue, 'enforcement.opened');
    expect(opened?.data).toMatchObject({ needsApproval: true });
    await services.get('config-ingest')!.stop();
    for (const id of ids.slice(0, 3)) await release(queue, `${queue}/${id}`);
    const approved = await fetch(
      `${services.get('console')!.url}/v1/enforcements/${opened?.data.enforcement}/approve`,
      { method: 'POST' },
    );
    expect(approved.status).toBe(200);
    // It checks its first victim, and waits: in none of these checks it may order an eviction.
    await services.get('executor')!.logged(/reports are not applied yet/);
    expect(await eventsOf(queue, 'victim.ordered', 'eviction.requested')).toEqual([]);

    await start('config-ingest');
    await has(queue, 'enforcement.ended');
    await until(async () => (await usage(queue)) === 60);
    expect(await eventsOf(queue, 'eviction.requested')).toHaveLength(1);
  });
});
