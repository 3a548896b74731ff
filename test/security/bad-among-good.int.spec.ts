import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Message, Producer } from 'kafkajs';
import { catalog, inboundTopics } from '#contracts/events';
import { cloudEvent } from '../../examples/platform-service/typescript/cloud-events.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { kafkaBrokers, TestKafka } from '../support/kafka.js';
import { configuration } from '../support/queue-spec.js';

const source = '/ci';
const quota = (memory: string) => ({ a: { max: { memory }, delay: '1h' } });
/** With them, a message is longer than all others together. */
const manyQueues = Object.fromEntries(
  Array.from({ length: 300 }, (_, i) => [`q${i}`, { max: { memory: '1G' } }]),
);

/** Good submissions to a partition, and such as no one should send, in an order in which each matters for the next. */
function submissionsTo(partition: string): Message[] {
  const submit = (submission: string, given: unknown, more: object = {}): Message =>
    cloudEvent(source, catalog.ConfigSubmitted.type, partition, {
      ...{ partition, submission, configuration: given },
      ...more,
    });
  const good = (submission: string, memory: string, more?: object) =>
    submit(submission, configuration(partition, quota(memory)), more);
  const unreadable = { ...good('unreadable', '1G'), value: '{"partition": "' };
  const forged = (forgedSource: string) => {
    const claim = cloudEvent(forgedSource, catalog.QuotaChanged.type, partition, {
      ...{ partition, queue: 'root.a', current: { max: { memory: 0 }, delayMs: 1 } },
      previous: { max: { memory: 1 }, delayMs: 1 },
    });
    return { ...claim, headers: { ...claim.headers, ce_partition: partition, ce_position: '1' } };
  };
  const again = good('again', '19G');
  return [
    good('first', '20G'),
    unreadable,
    again,
    again,
    submit('too-deep', `${'['.repeat(20_000)}${']'.repeat(20_000)}`),
    good('after-too-deep', '18G'),
    submit('large', configuration(partition, { ...quota('17G'), ...manyQueues })),
    submit('too-large', `partitions: [{name: ${partition}, queues: [${'{},'.repeat(1_500_000)}]}]`),
    forged(`/curtail/${partition}`),
    good('without-the-many', '16G'),
    forged(source),
    good('stale', '1G', { ifVersion: 1 }),
    submit('of-no-schema', 7),
    good('last', '15G'),
  ];
}

describe('bad submissions among good ones, over Kafka', () => {
  const prefix = `test-${randomBytes(4).toString('hex')}.`;
  const kafka = new TestKafka(prefix, { partitions: 1 });
  let system: EmbeddedSystem;
  let producer: Producer;
  beforeAll(async () => {
    await kafka.topics.ready();
    producer = kafka.connection.producer();
    await producer.connect();
    system = await EmbeddedSystem.start({
      ...{ kafkaBrokers: kafkaBrokers(), kafkaTopicPrefix: prefix, kafkaPartitions: 1 },
    });
  });
  afterAll(async () => {
    await system?.stop();
    await producer?.disconnect();
    await kafka.close();
  });

  /** Sends them in one request, as the brokers keep them: a consumer fetches them together. */
  async function send(messages: Message[]): Promise<void> {
    await producer.send({ topic: kafka.connection.topicName(inboundTopics.submissions), messages });
    // While the topics are young, a broker may not know their leaders.
    await system.until('all messages to be handled', async () =>
      (await system.bus.status().catch(() => undefined))?.every(({ lag }) => lag === 0),
    );
  }

  /** What they left, without ids and times, and with the same name for every partition. */
  async function left(partition: string) {
    const ofIt = [partition];
    const tables = {
      events: await system.db.query(
        `SELECT version, type, key, data FROM events WHERE stream = 'config-' || $1 ORDER BY version`,
        ofIt,
      ),
      versions: await system.db.query(
        'SELECT version, previous, sent_by, via, submission, changes FROM configurations WHERE partition = $1 ORDER BY version',
        ofIt,
      ),
      queues: await system.db.query(
        'SELECT path, max, delay_ms FROM queues WHERE partition = $1 ORDER BY path',
        ofIt,
      ),
      letters: await system.db.query(
        `SELECT consumer, topic, type, regexp_replace(reason, '[0-9a-f-]{36}', 'ID') AS reason, field
         FROM dead_letters WHERE key = $1 ORDER BY type, 4`,
        ofIt,
      ),
    };
    const told = JSON.stringify(tables)
      .replaceAll(partition, 'PARTITION')
      .replaceAll(/"(digest|dueAt|at|appliedAt|enforcement|takenAt)":"[^"]*"/g, '"$1":"…"');
    return JSON.parse(told) as Record<keyof typeof tables, Record<string, unknown>[]>;
  }

  it('get what they get alone, and take no neighbour along', async () => {
    for (const message of submissionsTo('p-alone')) await send([message]);
    await send(submissionsTo('p-batch'));
    const [alone, batch] = [await left('p-alone'), await left('p-batch')];

    expect(batch).toEqual(alone);
    const applied = alone.versions.map(({ submission }) => submission);
    expect(applied).toEqual(['first', 'again', 'after-too-deep', 'large', 'without-the-many', 'last']);
    expect(alone.queues).toContainEqual(
      expect.objectContaining({ path: 'root.a', max: { memory: 15_000_000_000 } }),
    );
    const refused = alone.events.filter(({ type }) => type === catalog.ConfigRefused.type);
    expect(refused.map(({ data }) => (data as { submission: string }).submission)).toEqual([
      'too-deep',
      'stale',
    ]);
    expect(alone.letters.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(/breaks its schema at data.configuration: give the configuration as text/),
      expect.stringMatching(/it has \d+ characters; it must be 1 to 4194304 characters long$/),
      expect.stringMatching(/cannot be read at data: Unterminated string in JSON at position 15$/),
      ...Array.from({ length: 2 }, () => expect.stringMatching(/belongs on the topic curtail.quota$/)),
    ]);
  });
});
