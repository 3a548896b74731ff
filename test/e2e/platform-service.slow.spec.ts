import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Producer } from 'kafkajs';
import type { DataSource } from 'typeorm';
import { openDatabase } from '#event-store';
import { curtail as call } from '../../apps/curtail/testing/test-terminal.js';
import { cloudEvent } from '../../examples/platform-service/typescript/cloud-events.js';
import { type EvictionRequest, Scheduler } from '../../examples/platform-service/typescript/scheduler.js';
import { until as untilInDatabase } from '../faults/until.js';
import { CurtailFolder, type CurtailProcess } from '../support/curtail-process.js';
import { missingOf, outputOf, pythonWith, runsWith } from '../support/example-programs.js';
import { kafkaBrokers, TestKafka } from '../support/kafka.js';

const examples = 'examples/platform-service';
const python = await pythonWith(`${examples}/python/requirements.txt`);
const lacking = await missingOf('kcat', 'jq', 'bash');

describe('the scheduler of the example', () => {
  const gigabyte = 1_000_000_000;
  const request = (scheduler: Scheduler, given: Partial<EvictionRequest>): EvictionRequest => {
    const { id, uid, queue } = scheduler.allocations()[0]!;
    const about = { partition: 'p', queue, allocation: id, uid, evictionId: 'e-1-1-1', attempt: 1 };
    return { ...about, graceSeconds: 0, deadlineAt: '2026-11-25T00:00:00Z', reason: 'Less quota.', ...given };
  };
  const answerTo = (given: Partial<EvictionRequest>) => {
    const scheduler = new Scheduler(() => {});
    return scheduler.evict(request(scheduler, given));
  };
  const guaranteed = (queue: string, memory: number) => ({ floors: [{ queue, guaranteed: { memory } }] });
  const quota = (memory: number) => ({ quota: { queue: 'root', max: { memory } } });

  it('refuses a request that is outdated by what runs in it now', () => {
    const refused = { answer: 'refused', retryable: true, code: 'outdated' };
    expect(answerTo(quota(8 * gigabyte))).toMatchObject({ ...refused, message: 'root is within its quota.' });
    expect(answerTo(guaranteed('root.batch', 8 * gigabyte))).toMatchObject({
      ...refused,
      message: 'root.batch would fall below its guaranteed 8000000000 of memory.',
    });
  });

  it('accepts a request that its work and the floors allow', () => {
    expect(answerTo({ ...quota(7 * gigabyte), ...guaranteed('root.batch', 7 * gigabyte) })).toMatchObject({
      answer: 'accepted',
    });
    expect(answerTo({})).toMatchObject({ answer: 'accepted' });
  });
});

describe('platform services over Kafka', () => {
  const prefix = `test-${randomBytes(4).toString('hex')}.`;
  // As many partitions as Curtail plans: a consumer that joins while a topic grows sees the new partitions only minutes later.
  const kafka = new TestKafka(prefix, { partitions: 6 });
  let folder: CurtailFolder;
  let curtail: CurtailProcess;
  let url: string;
  let db: DataSource;
  let producer: Producer;

  beforeAll(async () => {
    await kafka.topics.ready();
    folder = await CurtailFolder.create();
    ({ curtail, url } = await folder.start({
      environment: {
        KAFKA_BROKERS: kafkaBrokers().join(','),
        CURTAIL_KAFKA_TOPIC_PREFIX: prefix,
        CURTAIL_CLUSTER: 'inventory',
      },
    }));
    db = await openDatabase(await folder.databaseUrl(), { poolSize: 2 });
    producer = kafka.connection.producer();
    await producer.connect();
  });
  afterAll(async () => {
    await producer?.disconnect();
    await db?.destroy();
    await curtail?.interrupt();
    await folder?.remove();
    await kafka.close();
  });

  const environment = (partition: string) => ({
    KAFKA_BROKERS: kafkaBrokers().join(','),
    CURTAIL_KAFKA_TOPIC_PREFIX: prefix,
    PARTITION: partition,
    LIMIT_SECONDS: '150',
  });
  const eventsOf = (partition: string, type: string): Promise<{ data: Record<string, unknown> }[]> =>
    db.query('SELECT data FROM events WHERE partition = $1 AND type = $2 ORDER BY transaction_id, position', [
      partition,
      `io.curtail.${type}.v1`,
    ]);

  /** The outcome of all examples: three of eight evicted, each requested once, and the wrong message put aside. */
  async function expectTheRun(partition: string, { code, lines }: Awaited<ReturnType<typeof outputOf>>) {
    if (code !== 0) throw new Error(`it ended with ${code}:\n${lines.join('\n')}`);
    expect(lines.filter((line) => /^asked to evict nightly-\d: accepted$/.test(line))).toHaveLength(3);
    expect(lines).toContain('the run on root.batch ended as satisfied: 3 evicted');
    expect(lines.at(-1)).toBe('5 allocations run');
    expect(lines.join('\n')).toMatch(/a wrong message is refused at data\.(resources\.memory|uid): /);
    expect(await eventsOf(partition, 'victim.evicted')).toHaveLength(3);
    const requests = await eventsOf(partition, 'eviction.requested');
    expect(requests).toHaveLength(3);
    for (const { data } of requests) {
      expect(data).toMatchObject({
        quota: { queue: 'root.batch', max: { memory: 5_000_000_000 } },
        takenAt: expect.stringMatching(/^\d{4}-/),
      });
    }
    // The platform ends when it has sent its last report, which Curtail reads a moment later.
    await untilInDatabase(
      () => folder.databaseUrl(),
      `SELECT (usage, in_flight) = (5000000000, 0) FROM inventory_usage WHERE partition = '${partition}' AND type = 'memory'`,
      () => curtail.output,
    );
  }

  it('in TypeScript with kafkajs', async () => {
    const words = ['--import', './test/support/typescript.mjs', `${examples}/typescript/platform.ts`];
    await expectTheRun('ts', await outputOf(process.execPath, words, environment('ts')));
    expect(await eventsOf('ts', 'owner.answered')).toMatchObject([
      { data: { allocation: 'nightly-1', answer: 'checkpointed', by: 'ada' } },
    ]);
    const refused = await eventsOf('ts', 'config.refused');
    expect(refused).toMatchObject([
      {
        data: {
          submission: expect.any(String),
          errors: [{ path: 'partitions[0].queues[0].queues[0].colour' }],
        },
      },
    ]);
    await expectItsFeeds('ts', '/examples/typescript/ts');
  });

  /** Two configurations in force one after the other, one refused, and one report with a resource that is not a whole number. */
  async function expectItsFeeds(partition: string, source: string) {
    const feeds = await fetch(`${url}/v1/feeds?partition=${partition}`);
    const [refused] = await eventsOf(partition, 'config.refused');
    const submission = refused?.data.submission;
    expect(await feeds.json()).toEqual({
      items: [
        expect.objectContaining({
          ...{ kind: 'configuration', source, partition, messages: 3, submission, deadLetters: 0 },
          ...{ inForce: expect.any(Number), ignored: [{ reason: 'invalid', count: 1 }] },
        }),
        expect.objectContaining({
          ...{ kind: 'inventory', source, partition, known: true, ignored: [], deadLetters: 1 },
          nextStep: 'curtail dead-letters list --consumer inventory',
        }),
      ],
    });
    const { lines } = await outputOf(
      process.execPath,
      ['bin/curtail.mjs', 'get', 'feeds', '-o', 'table', '--server', url],
      {},
    );
    const table = lines.join('\n');
    expect(table).toMatch(/^ts +configuration +\/examples\/typescript\/ts +/m);
    expect(table).toMatch(/1 invalid/);
    expect(table).toMatch(/dead letters: 1/);
    expect(table).toMatch(/see the dead letters: .* dead-letters list --consumer inventory/);
  }

  const inPython = runsWith(
    'in Python with confluent-kafka',
    'missing' in python ? python.missing : undefined,
  );
  inPython.run(inPython.name, async () => {
    const command = 'command' in python ? python.command : '';
    const words = [`${examples}/python/platform_service.py`];
    await expectTheRun('py', await outputOf(command, words, environment('py')));
  });

  const inShell = runsWith('in a shell with kcat', lacking && `there is no ${lacking}`);
  inShell.run(inShell.name, async () => {
    const words = [`${examples}/kcat/platform.sh`];
    await expectTheRun('sh', await outputOf('bash', words, environment('sh')));
  });

  const send = (partition: string, topic: string, type: string, data: object) =>
    producer.send({
      topic: prefix + topic,
      messages: [cloudEvent(`/test/${partition}`, `io.curtail.${type}.v1`, partition, data)],
    });
  /** A configuration by which one of the three allocations below has to go. */
  const lowerQuota = (partition: string) => {
    const queue = { name: 'a', resources: { max: { memory: '2G' }, 'quota.preemption.delay': 1 } };
    const configuration = {
      partitions: [
        {
          name: partition,
          preemption: { quotapreemptionenabled: true },
          queues: [{ name: 'root', queues: [queue] }],
        },
      ],
    };
    return send(partition, 'curtail.config.submissions', 'config.submitted', {
      partition,
      submission: 's-1',
      configuration,
    });
  };
  const list = (partition: string) =>
    send(partition, 'curtail.inventory', 'inventory.listed', {
      partition,
      sequence: 1,
      page: 1,
      last: true,
      allocations: [1, 2, 3].map((number) => ({
        id: `a-${number}`,
        uid: `u-${number}`,
        application: 'app',
        queue: 'root.a',
        resources: { memory: 1_000_000_000 },
        startedAt: new Date(Date.now() - number * 60_000).toISOString(),
      })),
    });

  it('that are silent have nothing evicted: what is due waits until they speak', async () => {
    const partition = 'silent';
    await lowerQuota(partition);
    await until(() => curtail.output.includes(`no report of partition ${partition} has arrived yet`));
    expect(await eventsOf(partition, 'enforcement.started')).toEqual([]);
    const status = () => call(['--server', url, 'status', '--partition', partition], { columns: 200 });
    const silent = await status();
    expect(silent).toMatchObject({ status: 1, stdout: expect.stringContaining('waits for its scheduler') });
    await list(partition);
    await until(async () => !(await status()).stdout.includes('waits for its scheduler'));
    await until(async () => (await eventsOf(partition, 'eviction.requested')).length > 0);
    expect(await eventsOf(partition, 'eviction.requested')).toMatchObject([
      { data: { allocation: 'a-1', uid: 'u-1' } },
    ]);
  });

  it('that do not answer are asked again later, and the victim is evicted once', async () => {
    const partition = 'late';
    await list(partition);
    await lowerQuota(partition);
    const requested = async () =>
      (await eventsOf(partition, 'eviction.requested')).map(({ data }) => data as unknown as EvictionRequest);
    await until(async () => (await requested()).length > 1);
    const [first, second] = await requested();
    // The first request cannot be carried out any more: this is another attempt of the run.
    expect(second?.allocation).toBe(first?.allocation);
    expect(second?.evictionId).not.toBe(first?.evictionId);
    const refused = await eventsOf(partition, 'victim.refused');
    expect(new Set(refused.map(({ data }) => data.code))).toEqual(new Set(['no-answer']));
    const { allocation: id, uid } = second!;
    const answered = new Set([first?.evictionId]);
    // On a busy machine an answer may come too late, and another attempt follows.
    await until(async () => {
      for (const { evictionId, attempt } of await requested()) {
        if (answered.has(evictionId)) continue;
        answered.add(evictionId);
        const answer = { evictionId, attempt, answer: 'accepted' };
        await send(partition, 'curtail.evictions.answers', 'eviction.answered', answer);
      }
      return (await eventsOf(partition, 'victim.evicted')).length > 0;
    });
    await send(partition, 'curtail.inventory', 'allocation.released', { partition, sequence: 2, id, uid });
    await until(async () => (await eventsOf(partition, 'enforcement.ended')).length > 0);
    expect(await eventsOf(partition, 'enforcement.ended')).toMatchObject([
      { data: { outcome: 'satisfied', evicted: 1 } },
    ]);
    expect(await eventsOf(partition, 'victim.evicted')).toMatchObject([{ data: { allocation: id } }]);
  });

  it('that answer what no one asked find their answer among the dead letters, with the field', async () => {
    const data = { evictionId: 'nobody-1-1', attempt: 1, answer: 'accepted' };
    const message = cloudEvent('/test/wrong', 'io.curtail.eviction.answered.v1', 'root.a', data);
    await producer.send({ topic: `${prefix}curtail.evictions.answers`, messages: [message] });
    const parked = (): Promise<unknown[]> =>
      db.query("SELECT consumer, field, source FROM dead_letters WHERE source = '/test/wrong'");
    await until(async () => (await parked()).length > 0);
    expect(await parked()).toEqual([
      { consumer: 'inventory-answers', field: 'evictionId', source: '/test/wrong' },
    ]);
  });
});

/** Checks again and again; the limit of the test ends it. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
}
