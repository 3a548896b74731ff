import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { catalog, inboundTopics } from '#contracts/events';
import { openDatabase } from '#event-store';
import { cloudEvent } from '../../examples/platform-service/typescript/cloud-events.js';
import { assertBuilt } from '../support/curtail-process.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { TestKafka } from '../support/kafka.js';
import { configuration } from '../support/queue-spec.js';
import { onOwnKafkaAndRedis } from '../support/service-group.js';
import { ServiceProcess } from '../support/service-process.js';
import { until } from './until.js';

/** What a transaction takes (`TakeSubmissions`), and a few more. */
const batch = 50;
const messages = 60;
const number = (i: number) => `s-${String(i).padStart(2, '0')}`;

const points = [
  ['before the first batch is committed', 'before commit', number(5), 0],
  ['after its commit, before its offset', 'after commit', number(5), batch],
  ['between two batches', 'before commit', number(55), batch],
  ['after the commit of the last one', 'after commit', number(55), messages],
] as const;

/** Sixty configurations of one partition wait on the topic; each changes the quota of one queue. */
describe('a process that is killed while configurations share transactions', () => {
  let database: TestDatabase;
  let db: DataSource;
  let kafka: TestKafka;
  let environment: Record<string, string>;

  beforeAll(async () => {
    await assertBuilt();
    database = await createMigratedDatabase();
    db = await openDatabase(database.url);
    environment = { ...onOwnKafkaAndRedis(), DATABASE_URL: database.url };
    kafka = new TestKafka(environment.CURTAIL_KAFKA_TOPIC_PREFIX!, { partitions: 1 });
    await kafka.topics.ready();
  });
  afterAll(async () => {
    await kafka?.close();
    await db?.destroy();
    await database?.drop();
  });

  it.each(points.map((point, index) => [...point, `p${index}`] as const))(
    'leaves each of them applied once, in order: %s',
    async (_title, moment, submission, atCrash, partition) => {
      const applied = async () => {
        const rows = await db.query<{ submission: string }[]>(
          'SELECT submission FROM configurations WHERE partition = $1 ORDER BY version',
          [partition],
        );
        return rows.map((row) => row.submission);
      };
      const have = (wanted: number, service: ServiceProcess) =>
        until(
          async () => database.url,
          `SELECT count(*) = ${wanted} FROM configurations WHERE partition = '${partition}'`,
          () => service.output,
        );
      // The first configuration of a partition has a transaction of its own.
      await send(partition, [0]);
      const first = ServiceProcess.spawn('config-ingest', environment);
      await have(1, first);
      await first.stop();

      await send(
        partition,
        Array.from({ length: messages }, (_, i) => i + 1),
      );
      const at = { moment, all: ['INTO configurations ', submission] };
      const killed = ServiceProcess.spawn('config-ingest', {
        ...environment,
        CURTAIL_TEST_CRASH_AT: JSON.stringify(at),
        NODE_OPTIONS: `--import=${join(process.cwd(), 'test/support/crash-at.mjs')}`,
      });
      expect(await killed.ended).toEqual({ code: null, signal: 'SIGKILL' });
      expect(await applied()).toHaveLength(1 + atCrash);

      // Until it runs: where all is applied already, it would be told to stop before it can.
      const next = await ServiceProcess.start('config-ingest', environment);
      await have(1 + messages, next);
      // It also commits the offsets of what it has handled.
      expect(await next.stop()).toBe(0);
      const all = Array.from({ length: messages + 1 }, (_, i) => number(i));
      expect(await applied()).toEqual(all);
      const events = await db.query<{ submission: string; queue: string; memory: number }[]>(
        `SELECT data->>'submission' AS submission, data->'current'->'max'->'memory' AS memory FROM events
         WHERE partition = $1 AND type = ANY ($2::text[]) ORDER BY version`,
        [partition, [catalog.ConfigApplied.type, catalog.QuotaChanged.type]],
      );
      expect(events.flatMap(({ submission }) => submission ?? [])).toEqual(all);
      expect(events.flatMap(({ memory }) => memory ?? [])).toEqual(all.map((_, i) => (100 + i) * 1e9));
      expect(await db.query('SELECT FROM dead_letters')).toEqual([]);
    },
  );

  async function send(partition: string, numbers: readonly number[]): Promise<void> {
    const producer = kafka.connection.producer();
    await producer.connect();
    await producer.send({
      topic: kafka.connection.topicName(inboundTopics.submissions),
      messages: numbers.map((i) =>
        cloudEvent('/ci', catalog.ConfigSubmitted.type, partition, {
          partition,
          submission: number(i),
          configuration: configuration(partition, { a: { max: { memory: `${100 + i}G` } } }),
        }),
      ),
    });
    await producer.disconnect();
  }
});
