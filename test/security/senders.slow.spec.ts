import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Consumer, Message, Producer } from 'kafkajs';
import { KafkaTransport } from '#agents/kafka';
import { readSettings, SigningKey } from '#platform';
import { curtailSettings } from '#runtime';
import { cloudEvent, received, signed } from '../../examples/platform-service/typescript/cloud-events.js';
import { createMigratedDatabase } from '../support/database.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { TestKafka } from '../support/kafka.js';
import { Recorded } from '../support/recorded.js';
import { onOwnKafkaAndRedis } from '../support/service-group.js';
import { ServiceProcess } from '../support/service-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { TestPartition } from '../support/test-partition.js';

const gb = 1_000_000_000;
const dayMs = 86_400_000;
const queue = 'root.a';

/** A sender with a key of its own. */
function sender(subject: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  return { subject, privateKey, publicKey };
}

interface Asked {
  evictionId: string;
  attempt: number;
  allocation: string;
}
interface Letter {
  consumer: string;
  field: string;
  reason: string;
  origin: string;
}

/** Kafka tells a consumer nothing of a sender: anyone who may write to a topic could be anyone. */
describe('messages of outsiders, where a policy file binds their senders', () => {
  const [scheduler, neighbour, research, stranger] = [
    sender('scheduler'),
    sender('neighbour'),
    sender('research'),
    sender('scheduler'),
  ];
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let policyFile: string;
  let system: EmbeddedSystem;
  let partition: TestPartition;
  let kafka: TestKafka;
  let producer: Producer;
  let requests: Consumer;
  let asked: Recorded<Asked>;
  let sequence = 0;

  const writePolicy = (schedulerKeys: string[]) =>
    writeFileSync(
      policyFile,
      JSON.stringify({
        senders: [
          {
            ...{ subject: 'scheduler', sends: ['reports', 'answers', 'owner-answers'] },
            ...{ partitions: ['default'], keys: schedulerKeys },
          },
          {
            ...{ subject: 'neighbour', sends: ['reports', 'answers', 'submissions'] },
            ...{ partitions: ['other'], keys: [neighbour.publicKey] },
          },
          {
            ...{ subject: 'research', sends: ['submissions'], partitions: ['default'] },
            ...{ queue: 'root.research', keys: [research.publicKey] },
          },
          { subject: 'platform', sends: ['submissions', 'reports'], topic: 'platform' },
        ],
      }),
    );

  beforeAll(async () => {
    folder = await temporaryFolder();
    policyFile = join(folder.path, 'policy.json');
    writePolicy([scheduler.publicKey]);
    const shape = onOwnKafkaAndRedis();
    const { kafkaBrokers, kafkaTopicPrefix, redisUrl } = readSettings(curtailSettings, shape);
    system = await EmbeddedSystem.start({
      ...{ kafkaBrokers, kafkaTopicPrefix, redisUrl, policyFile },
      ...{ token: 'a-token-of-administrators', localUser: 'ann' },
      ...{ cluster: 'inventory', inventoryStaleSeconds: 600, kafkaPartitions: 1 },
    });
    partition = new TestPartition(system, 'default');
    kafka = new TestKafka(kafkaTopicPrefix!);
    producer = kafka.connection.producer();
    await producer.connect();
    asked = new Recorded();
    // It starts again by itself if it crashes.
    requests = kafka.reader(`${kafka.prefix}scheduler`);
    await requests.connect();
    await requests.subscribe({ topics: [`${kafka.prefix}curtail.evictions.requests`], fromBeginning: true });
    await requests.run({ eachMessage: async ({ message }) => asked.add(received<Asked>(message).data()) });
  });
  afterAll(async () => {
    await requests?.disconnect();
    await producer?.disconnect();
    await system?.stop();
    await kafka?.close();
    await folder?.remove();
  });

  const message = (type: string, data: object): Message & { id: string } =>
    cloudEvent('/test', `io.curtail.${type}.v1`, queue, data);
  const put = (topic: string, ...messages: Message[]) =>
    producer.send({ topic: kafka.prefix + topic, messages });
  const by = (
    { subject, privateKey }: ReturnType<typeof sender>,
    topic: string,
    type: string,
    data: object,
  ) => signed(kafka.prefix + topic, message(type, data), subject, privateKey);
  const configuration = (name: string, memory: number) => ({
    partitions: [
      {
        name,
        preemption: { quotapreemptionenabled: true },
        queues: [
          {
            name: 'root',
            queues: [
              { name: 'a', resources: { max: { memory: String(memory) }, 'quota.preemption.delay': 1 } },
              { name: 'research', queues: [{ name: 'deep' }] },
            ],
          },
        ],
      },
    ],
  });
  const submission = (name: string, memory: number, submission: string, by_ = 'ann') => ({
    ...{ partition: name, submission, by: by_, format: 'yunikorn' },
    configuration: configuration(name, memory),
  });
  const task = (id: string, minute: number) => ({
    ...{ id, uid: id, application: 'app', queue, resources: { memory: 10 * gb } },
    startedAt: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
  });
  const listing = (...tasks: object[]) => ({
    ...{ partition: 'default', sequence: ++sequence, page: 1, last: true },
    allocations: tasks,
  });
  const letters = (): Promise<Letter[]> =>
    system.db.query('SELECT consumer, field, reason, origin FROM dead_letters ORDER BY parked_at, origin');
  /** Waits until so many more letters are there than before. */
  async function refused(count: number, send: () => Promise<unknown>): Promise<Letter[]> {
    const before = (await letters()).length;
    await send();
    return system.until('the dead letters', async () => {
      const all = await letters();
      return all.length >= before + count ? all.slice(before) : undefined;
    });
  }
  const applied = (submission: string) =>
    system.until(`submission ${submission}`, async () =>
      (await partition.log()).find(
        (event) =>
          event.name === 'ConfigApplied' && (event.data as { submission?: string }).submission === submission,
      ),
    );
  const used = async () => (await system.cluster.usage('default', [queue])).get(queue)?.usage.memory ?? 0;
  const admin = { authorization: 'Bearer a-token-of-administrators' };

  it('take effect for the sender whose topic or key it is, who is on record as their actor', async () => {
    await put(
      'curtail.inventory',
      by(scheduler, 'curtail.inventory', 'inventory.listed', listing(task('one', 1), task('two', 2))),
    );
    await system.until('the listing', async () => (await used()) === 20 * gb || undefined);
    await put(
      'curtail.config.submissions.platform',
      message('config.submitted', submission('default', 20 * gb, 'first')),
    );
    expect(await applied('first')).toMatchObject({
      data: { by: 'platform', actor: { issuer: 'kafka', subject: 'platform', claimed: 'ann' } },
    });
    const agent = new KafkaTransport({
      ...{
        connection: kafka.connection,
        group: 'agent-test',
        isOurs: () => true,
        source: () => '/agents/test',
      },
      ...{ signingKey: SigningKey.of(scheduler.privateKey), now: () => new Date() },
      ...{ onTrouble: () => {}, onUnreadable: () => {} },
    });
    const data = { partition: 'default', sequence: ++sequence, id: 'node-1', capacity: { memory: 40 * gb } };
    await agent.send([{ event: { name: 'NodeAdded', data }, key: queue }]);
    await agent.stop();
    await system.until('the node of the agent', async () => {
      const rows = await system.db.query("SELECT 1 FROM inventory_nodes WHERE id = 'node-1'");
      return rows.length > 0 || undefined;
    });
    const one = {
      partition: 'default',
      submission: 'deep',
      queue: 'root.research.deep',
      configuration: { name: 'deep', resources: { max: { memory: '1G' } } },
    };
    await put(
      'curtail.config.submissions',
      by(research, 'curtail.config.submissions', 'config.submitted', one),
    );
    expect(await applied('deep')).toMatchObject({ data: { by: 'research' } });
    expect(await letters()).toEqual([]);
  });

  it('of nobody are refused on every topic: dead letters, a metric and a notice, and nothing else', async () => {
    const before = await used();
    const unsigned: [topic: string, type: string, data: object][] = [
      ['curtail.config.submissions', 'config.submitted', submission('default', 0, 'forged')],
      ['curtail.inventory', 'inventory.listed', listing()],
      ['curtail.evictions.answers', 'eviction.answered', { evictionId: 'e', attempt: 1, answer: 'gone' }],
      [
        'curtail.owner.answers',
        'owner.answer.sent',
        { partition: 'default', allocation: 'one', answer: 'ready', id: '1' },
      ],
    ];
    const found = await refused(4, async () => {
      for (const [topic, type, data] of unsigned) await put(topic, message(type, data));
    });
    expect(found.map(({ field }) => field)).toEqual(unsigned.map(() => 'curtail_signature'));
    expect(new Set(found.map(({ origin }) => origin))).toEqual(
      new Set(unsigned.map(([topic], i) => `${kafka.prefix}${topic}/0@${[1, 2, 0, 0][i]}`)),
    );
    expect(await used()).toBe(before);
    const metrics = await (await fetch(`${system.url}/metrics`, { headers: admin })).text();
    for (const [topic] of unsigned)
      expect(metrics).toMatch(new RegExp(`curtail_forged_messages_total\\{.*topic="${topic}".*\\} 1`));
    // A server may be slow to answer, and then counts as down for a moment.
    await system.until('the notice', async () => {
      const answer = await fetch(`${system.url}/v1/status`, { headers: admin });
      const { attention } = (await answer.json()) as { attention: { code: string }[] };
      return attention.some(({ code }) => code === 'dead-letters') || undefined;
    });
  });

  it('of a sender that may not send them are refused: another partition, topic, kind or queue, or a key of its own', async () => {
    const submissions = 'curtail.config.submissions';
    const found = await refused(6, async () => {
      await put(
        submissions,
        by(neighbour, submissions, 'config.submitted', submission('default', 0, 'theirs')),
      );
      await put(
        submissions,
        by(scheduler, submissions, 'config.submitted', submission('default', 0, 'unasked')),
      );
      await put(
        submissions,
        by(research, submissions, 'config.submitted', submission('default', 0, 'whole')),
      );
      await put(
        submissions,
        by(research, submissions, 'config.submitted', {
          ...submission('default', 0, 'above'),
          queue: 'root.research',
        }),
      );
      await put(
        submissions,
        by(stranger, submissions, 'config.submitted', submission('default', 0, 'stolen name')),
      );
      const elsewhere = by(
        neighbour,
        'curtail.inventory',
        'config.submitted',
        submission('other', 0, 'moved'),
      );
      await put(submissions, elsewhere);
    });
    expect(found.map(({ field }) => field)).toEqual([
      ...['data.partition', 'topic', 'data.queue', 'data.queue', 'curtail_signature', 'curtail_signature'],
    ]);
  });

  it('are refused where anything signed was changed, and a copy changes nothing', async () => {
    const topic = 'curtail.inventory';
    const real = by(scheduler, topic, 'inventory.listed', listing(task('one', 1), task('two', 2)));
    const with_ = (headers: object): Message => ({ ...real, headers: { ...real.headers, ...headers } });
    const empty = JSON.stringify(listing());
    const changed: Message[] = [
      { ...real, value: empty },
      { ...real, key: 'root.b' },
      with_({ ce_id: 'another' }),
      with_({ ce_source: '/clusters/other' }),
      // A second earlier: now may be the same millisecond.
      with_({ ce_time: new Date(Date.now() - 1000).toISOString() }),
      with_({ ce_type: 'io.curtail.inventory.confirmed.v1' }),
    ];
    const old = signed(
      kafka.prefix + topic,
      {
        ...real,
        headers: { ...real.headers, ce_id: 'old', ce_time: new Date(Date.now() - 8 * dayMs).toISOString() },
      },
      ...([scheduler.subject, scheduler.privateKey] as const),
    );
    const found = await refused(changed.length + 1, () => put(topic, real, ...changed, old));
    expect(found.map(({ field }) => field)).toEqual([...changed.map(() => 'curtail_signature'), 'ce_time']);
    // Later reports, then the first listing once more: it is known by its id.
    const released = { partition: 'default', sequence: ++sequence, id: 'two', uid: 'two' };
    await put(topic, by(scheduler, topic, 'allocation.released', released), real);
    const started = { partition: 'default', sequence: ++sequence, ...task('three', 3) };
    await put(topic, by(scheduler, topic, 'allocation.started', started));
    await system.until('the last report', async () => (await used()) === 20 * gb || undefined);
    expect((await letters()).filter(({ origin }) => origin.includes(topic))).toHaveLength(changed.length + 2);
  });

  it('do not make a victim count as gone: the answer of its own scheduler decides', async () => {
    const before = (await letters()).length;
    await put(
      'curtail.config.submissions.platform',
      message('config.submitted', submission('default', 10 * gb, 'lowered')),
    );
    const [{ evictionId, attempt, allocation }] = (await asked.first(1)) as [Asked];
    const gone = { evictionId, attempt, answer: 'gone' };
    const topic = 'curtail.evictions.answers';
    await put(topic, message('eviction.answered', gone));
    await put(topic, by(stranger, topic, 'eviction.answered', gone));
    await put(topic, by(neighbour, topic, 'eviction.answered', gone));
    await put(topic, by(scheduler, topic, 'eviction.answered', { ...gone, answer: 'accepted' }));
    const answer = await system.until('the answer', async () => {
      const rows = await system.db.query<{ answer: { answer: string } | null }[]>(
        'SELECT answer FROM inventory_evictions WHERE eviction_id = $1',
        [evictionId],
      );
      return rows[0]?.answer ?? undefined;
    });
    expect(answer.answer).toBe('accepted');
    const released = { partition: 'default', sequence: ++sequence, id: allocation, uid: allocation };
    await put('curtail.inventory', by(scheduler, 'curtail.inventory', 'allocation.released', released));
    const { data } = await partition.ended(queue);
    expect(data).toMatchObject({ outcome: 'satisfied', evicted: 1, gone: 0 });
    expect((await letters()).slice(before).map(({ field }) => field)).toEqual([
      ...['curtail_signature', 'curtail_signature', 'data.evictionId'],
    ]);
  });

  it('of a sender whose key was withdrawn are refused without a restart', async () => {
    const topic = 'curtail.inventory';
    writePolicy([stranger.publicKey]);
    for (;;) {
      const before = (await letters()).length;
      await put(topic, by(scheduler, topic, 'inventory.confirmed', { partition: 'default' }));
      await put(topic, message('inventory.confirmed', { partition: 'default' }));
      const last = await system.until('the unsigned one', async () => {
        const more = (await letters()).slice(before);
        return more.some(({ reason }) => reason.includes('no signature')) ? more : undefined;
      });
      if (last.length === 2) break;
    }
    const count = (await letters()).length;
    await put(
      topic,
      by(stranger, topic, 'allocation.started', {
        partition: 'default',
        sequence: ++sequence,
        ...task('four', 4),
      }),
    );
    await system.until('the report with the new key', async () => (await used()) === 20 * gb || undefined);
    expect(await letters()).toHaveLength(count);
  });
});

describe('a service that starts on Kafka', () => {
  it.each([
    ['without senders warns of each topic from outside that it reads', undefined, 1],
    ['with senders has nothing to warn of', 'research', 0],
  ])('%s', async (_what, subject, warnings) => {
    const [folder, database] = [await temporaryFolder(), await createMigratedDatabase()];
    const file = join(folder.path, 'policy.json');
    const senders = [{ subject, sends: ['submissions'], keys: [sender('research').publicKey] }];
    if (subject !== undefined) writeFileSync(file, JSON.stringify({ senders }));
    const shape = onOwnKafkaAndRedis();
    const service = await ServiceProcess.start('config-ingest', {
      ...{ ...shape, DATABASE_URL: database.url, CURTAIL_TOKEN: 'a-token-of-administrators' },
      ...(subject !== undefined && { CURTAIL_POLICY_FILE: file }),
    });
    const topic = `${shape.CURTAIL_KAFKA_TOPIC_PREFIX}curtail.config.submissions`;
    const found = service.lines.all.filter((line) =>
      line.includes(`Everyone who may write to ${topic} is believed`),
    );
    expect(found).toHaveLength(warnings);
    await service.stop();
    await database.drop();
    await folder.remove();
  });
});
