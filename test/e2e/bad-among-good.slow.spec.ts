import { describe, expect, it } from '@jest/globals';
import type { Message } from 'kafkajs';
import type { DataSource } from 'typeorm';
import { AnswerWakeUps, EvictionAnswers, InventoryReports, SimulatedCluster } from '#clusters';
import { readDecreaseSettings } from '#contracts';
import { catalog, inboundTopics } from '#contracts/events';
import { openDatabase } from '#event-store';
import { consumerOf } from '#messaging';
import { ReadInThread } from '../../apps/config-ingest/src/reading/read-in-thread.js';
import { SubmitConfiguration } from '../../apps/config-ingest/src/submit/submit-configuration.js';
import { SubmitQueue } from '../../apps/config-ingest/src/submit/submit-queue.js';
import { TakeSubmissions } from '../../apps/config-ingest/src/submit/take-submissions.js';
import { stableId } from '../../libs/messaging/src/kafka/incoming-message.js';
import { createMigratedDatabase } from '../support/database.js';
import { TestKafka } from '../support/kafka.js';
import { configuration } from '../support/queue-spec.js';
import { Recorded } from '../support/recorded.js';

const [own, other] = ['/clusters/one/agent', '/clusters/two/agent'];
const startedAt = '2026-11-21T09:00:00Z';
/** The allocations that are asked to leave, and get answers. */
const asked = ['a', 'b', 'c', 'd'];
/** Above what a transaction of submissions takes (`batchBytes`). */
const long = 'x'.repeat(600 * 1024);

let ids = 0;
/** A message of a sender: an event in the binary mode of CloudEvents. */
function message(type: string, data: unknown, { source = own, id = `m-${++ids}` } = {}): Message {
  return {
    key: 'default',
    // Records without one would have the time of their sending.
    timestamp: '1795255200000',
    value: typeof data === 'string' ? data : JSON.stringify(data),
    headers: {
      ce_specversion: '1.0',
      ce_id: id,
      ce_source: source,
      ce_type: type,
      ce_time: '2026-11-21T10:00:00.000Z',
    },
  };
}
/** Without the headers that an event has. */
const noEvent: Message = { key: 'default', timestamp: '1795255200000', value: 'x' };

interface Case {
  topic: string;
  /** Taken before the others arrive. */
  first: Message[];
  /** Good and bad ones by turns; the last is good. */
  rest: Message[];
  /** The fields that dead letters name, in the order of their messages. */
  letters: string[];
  tables: string[];
  consumer: (db: DataSource) => object;
}

function submissions(): Case {
  const { type } = catalog.ConfigSubmitted;
  const good = (submission: string, max: string, more: object = {}) => ({
    partition: 'default',
    submission,
    configuration: configuration('default', { research: { max: { memory: max }, delay: '1h' } }),
    ...more,
  });
  return {
    topic: inboundTopics.submissions,
    first: [message(type, good('first', '40G'))],
    rest: [
      message(type, good('good-1', '39G'), { id: 'again' }),
      message(type, '{"partition":'),
      message(type, good('good-2', '38G')),
      noEvent,
      message(
        type,
        good('large', '37G', {
          configuration: `# ${long}\n${JSON.stringify(good('', '37G').configuration)}`,
        }),
      ),
      message(type, { ...good('schema', '1G'), partition: 7 }),
      message(type, good('good-3', '36G')),
      message(type, good('stale', '2G', { ifVersion: 1 })),
      // Forged: under the id of another, as an event of the log, and of a type that does not exist.
      message(type, good('forged', '3G'), { id: 'again' }),
      message(catalog.ConfigApplied.type, good('forged', '4G')),
      message('io.curtail.config.invented.v1', good('forged', '5G')),
      message(type, good('stored', '6G', { by: 'zero\0byte' })),
      message(type, good('good-4', '35G')),
      message(type, good('faulty', '7G', { configuration: { partitions: [{ nam: 'default' }] } })),
      message(type, good('foreign', '8G'), { source: other }),
      message(type, good('last', '34G')),
    ],
    letters: ['data', 'ce_specversion', 'data.partition', 'ce_type', 'ce_type', 'data.by'],
    tables: ['events', 'configurations', 'configuration_texts', 'partitions', 'queues', 'feeds'],
    consumer: (db) => {
      const cluster = new SimulatedCluster(db);
      const reader = new ReadInThread({ previewSeconds: 60 });
      const submit = new SubmitConfiguration(db, cluster, { policy: readDecreaseSettings({}) }, reader);
      return new TakeSubmissions(submit, new SubmitQueue(db, cluster, submit, reader), db);
    },
  };
}

function reports(): Case {
  const started = (sequence: number, id: string, more: object = {}) => ({
    ...{ partition: 'default', sequence, id, uid: id, application: 'app', queue: 'root.a' },
    ...{ resources: { memory: 1 }, startedAt, ...more },
  });
  const { AllocationStarted, AllocationReleased, InventoryListed } = catalog;
  const listed = { partition: 'default', sequence: 1, page: 1, last: true, allocations: [started(1, 'a')] };
  return {
    topic: inboundTopics.inventory,
    first: [message(InventoryListed.type, listed)],
    rest: [
      message(AllocationStarted.type, started(2, 'b'), { id: 'again' }),
      message(AllocationStarted.type, '{'),
      message(AllocationStarted.type, started(9, 'c')),
      noEvent,
      message(AllocationStarted.type, started(10, 'schema', { resources: { memory: -1 } })),
      message(AllocationStarted.type, started(11, 'large', { tags: long })),
      message(AllocationStarted.type, started(12, 'd')),
      // Stale: of before the listing, and of before its start.
      message(AllocationStarted.type, started(1, 'stale')),
      message(AllocationReleased.type, { partition: 'default', sequence: 8, id: 'c', uid: 'c' }),
      message(AllocationStarted.type, started(13, 'forged'), { id: 'again' }),
      message(AllocationStarted.type, started(14, 'foreign'), { source: other }),
      message(catalog.QuotaChanged.type, started(15, 'forged')),
      message(AllocationReleased.type, { partition: 'default', sequence: 16, id: 'b', uid: 'another' }),
      message(AllocationReleased.type, { partition: 'default', sequence: 17, id: 'a', uid: 'a' }),
    ],
    letters: ['data', 'ce_specversion', 'data.resources.memory', 'ce_type'],
    tables: ['inventory_partitions', 'inventory_allocations', 'inventory_usage', 'feeds'],
    consumer: () => new InventoryReports(() => new Date('2026-11-21T10:00:00Z')),
  };
}

function answers(): Case {
  const { type } = catalog.EvictionAnswered;
  const answer = (id: string, more: object = {}) => ({
    ...{ evictionId: `e-${id}`, attempt: 2, answer: 'accepted', ...more },
  });
  return {
    topic: inboundTopics.evictionAnswers,
    first: [message(type, answer('a'))],
    rest: [
      message(type, answer('b'), { id: 'again' }),
      message(type, '[]'),
      noEvent,
      message(type, answer('d', { answer: 'refused', retryable: true, code: 'budget', message: 'Not now.' })),
      // Forged: nobody asked; another cluster; the id of another.
      message(type, answer('unknown')),
      message(type, answer('c', { answer: 'gone' }), { source: other }),
      message(type, answer('c', { answer: 'gone' }), { id: 'again' }),
      // Stale: an answer to an earlier attempt, and a second one.
      message(type, answer('c', { attempt: 1, answer: 'refused', retryable: true, code: 'x', message: 'x' })),
      message(type, answer('b', { answer: 'gone' })),
      message(type, answer('c', { attempt: 'two' })),
      message(type, answer('c', { answer: 'maybe', message: long })),
      message(type, answer('c')),
    ],
    letters: ['data', 'ce_specversion', 'evictionId', 'data.attempt', 'data.answer'],
    tables: ['inventory_evictions', 'feeds'],
    consumer: (db) => new EvictionAnswers(db, new AnswerWakeUps()),
  };
}

/** What differs between two runs of the same. */
const passing = new Set(['id', 'position', 'transaction_id', 'traceparent', 'previous_hash', 'hash']);

/** The rows of tables without times, in an order of their own. */
async function rowsOf(db: DataSource, table: string, prefix: string): Promise<object[]> {
  const columns = await db.query<{ name: string }[]>(
    `SELECT column_name AS name FROM information_schema.columns WHERE table_name = $1 AND data_type NOT LIKE 'timestamp%'`,
    [table],
  );
  const kept = columns.map(({ name }) => name).filter((name) => table !== 'events' || !passing.has(name));
  const rows = await db.query<{ row: string }[]>(
    `SELECT to_json(t)::text AS row FROM (SELECT ${kept.map((name) => `"${name}"`).join(', ')} FROM ${table}) t`,
  );
  return rows
    .map(({ row }) => row.replaceAll(prefix, ''))
    .sort()
    .map((row) => JSON.parse(row));
}

/** What messages leave that wait on Kafka for a consumer which takes so many at once. */
async function left({ topic, first, rest, tables, consumer }: Case, batchSize: number) {
  const server = await createMigratedDatabase();
  const db = await openDatabase(server.url);
  const prefix = `${new URL(server.url).pathname.slice(1)}.`;
  const kafka = new TestKafka(prefix, { partitions: 1 });
  const producer = kafka.connection.producer();
  try {
    await db.query(
      `INSERT INTO inventory_evictions (eviction_id, partition, allocation, uid, attempt, requested_at, deadline_at)
       SELECT 'e-' || id, 'default', id, id, 2, now(), now() + interval '1 hour' FROM unnest($1::text[]) AS id`,
      [asked],
    );
    await db.query(
      "INSERT INTO inventory_partitions (partition, last_report_at, cluster) VALUES ('default', now(), 'one')",
    );
    await kafka.topics.ready();
    await producer.connect();
    const finished = new Recorded<string>();
    const bus = kafka.bus({ database: db, onParked: (_consumer, id) => id === lastId && finished.add(id) });
    const one = consumerOf(consumer(db));
    const lastId = stableId(`${own}\n${rest.at(-1)!.headers!.ce_id}`);
    let most = 0;
    bus.subscribe({
      ...one,
      batchSize,
      handle: async (events) => {
        most = Math.max(most, events.length);
        const effects = await one.handle(events);
        if (!effects || !events.some(({ id }) => id === lastId)) return effects;
        return async (tx) => {
          const after = await effects(tx);
          return () => {
            after?.();
            finished.add(lastId);
          };
        };
      },
    });
    const send = (messages: Message[]) =>
      producer.send({ topic: kafka.connection.topicName(topic), messages });
    // They wait there together: the consumer gets them in one fetch.
    await send(first);
    await send(rest);
    await bus.start();
    await finished.first(1);
    const rows: Record<string, object[]> = {};
    for (const table of tables) rows[table] = await rowsOf(db, table, prefix);
    const letters = await db.query<{ field: string | null; reason: string; origin: string }[]>(
      `SELECT event_id, key, reason, field, replace(origin, $1, '') AS origin FROM dead_letters
       ORDER BY split_part(origin, '@', 2)::int`,
      [prefix],
    );
    return { most, rows, letters };
  } finally {
    await producer.disconnect();
    await kafka.close();
    await db.destroy();
    await server.drop();
  }
}

describe('bad messages among good ones on Kafka', () => {
  it.each([
    ['configurations', submissions],
    ['reports of the inventory', reports],
    ['answers to eviction requests', answers],
  ])('get what they get alone, and so do the good ones: %s', async (_what, draw) => {
    const some = draw();
    const alone = await left(some, 1);
    expect(alone.letters.map(({ field }) => field)).toEqual(some.letters);
    for (const size of [20, 200]) {
      const { most, ...together } = await left(some, size);
      expect(most).toBeGreaterThan(1);
      expect({ most: 1, ...together }).toEqual(alone);
    }
  });
});
