import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { KafkaMessage, Message, Producer } from 'kafkajs';
import { type EventName, type Topic } from '#contracts';
import { catalog, topics } from '#contracts/events';
import { type Consumer, subscriptionsOf } from '#messaging';
import { CarryOutPlans } from '../../apps/executor/src/carry-out-plans.js';
import { PlanRuns } from '../../apps/planner/src/plan-runs.js';
import { KeepClocks } from '../../apps/timer/src/keep-clocks.js';
import { WakeForOwnClocks } from '../../apps/timer/src/rounds/wake-for-own-clocks.js';
import { messageOf } from '../../libs/messaging/src/kafka/outgoing-message.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { kafkaBrokers, TestKafka } from '../support/kafka.js';
import { plausibleData } from '../support/plausible-data.js';
import type { TestPartition } from '../support/test-partition.js';

const names = Object.keys(catalog) as EventName[];
const internalTopics = Object.values(topics);
/** Every consumer that reads topics of the log over Kafka. */
const consumers = [KeepClocks, WakeForOwnClocks, PlanRuns, CarryOutPlans].flatMap(subscriptionsOf);
const reads = (
  { topics: read, events }: Pick<Consumer, 'topics' | 'events'>,
  topic: Topic,
  name: EventName,
) => read.includes(topic) && (!events || events.includes(name));

/** An event as a forger has it: like a real one in everything, but not in the log. */
type Claim = Parameters<typeof messageOf>[0];
type Letter = {
  consumer: string;
  topic: string;
  type: string;
  field: string;
  origin: string;
  event_id: string;
};

describe('messages on the topics of the log that the log does not have', () => {
  const prefix = `test-${randomBytes(4).toString('hex')}.`;
  const kafka = new TestKafka(prefix, { partitions: 3 });
  let system: EmbeddedSystem;
  let producer: Producer;
  beforeAll(async () => {
    await kafka.topics.ready();
    producer = kafka.connection.producer();
    await producer.connect();
    system = await EmbeddedSystem.start({
      kafkaBrokers: kafkaBrokers(),
      kafkaTopicPrefix: prefix,
      kafkaPartitions: 3,
      approveAboveVictims: 4,
    });
  });
  afterAll(async () => {
    await system?.stop();
    await producer?.disconnect();
    await kafka.close();
  });

  const send = (topic: Topic, ...messages: Message[]) =>
    producer.send({ topic: kafka.connection.topicName(topic), messages });
  const claim = (name: EventName, data: unknown, partition: string, key: string, more: Partial<Claim> = {}) =>
    messageOf({
      // Behind everything that is handled.
      transactionId: '9000000000',
      position: '9000000000',
      stream: `queue-${partition}-${key}`,
      version: 2,
      id: randomUUID(),
      type: catalog[name].type,
      topic: catalog[name].topic,
      partition,
      key,
      time: new Date('2000-01-01T00:00:00Z'),
      data: JSON.stringify(data),
      ...more,
    } as Claim);
  const letters = (): Promise<Letter[]> =>
    system.db.query(
      'SELECT consumer, topic, type, field, origin, event_id FROM dead_letters ORDER BY origin',
    );
  const newLetters = async (since: Letter[]) =>
    (await letters()).filter(({ origin }) => !since.some((one) => one.origin === origin));
  /** Waits until every message that was sent so far has been checked. */
  const allChecked = () =>
    system.until('all messages to be checked', async () =>
      (await system.bus.status()).every(({ lag }) => lag === 0),
    );
  /** A digest of everything that Curtail knows, but for letters and rows that move by themselves, as the hash chains that follow the log. */
  async function state(): Promise<Record<string, string>> {
    const tables = await system.db.query<{ name: string }[]>(
      `SELECT table_name AS name FROM information_schema.tables
       WHERE table_schema = 'public' AND table_type = 'BASE TABLE'
         AND table_name NOT IN ('dead_letters', 'relays', 'service_limits', 'subscriptions', 'log_blocks', 'log_chain') ORDER BY 1`,
    );
    const digests: Record<string, string> = {};
    for (const { name } of tables) {
      const rows = await system.db.query<{ digest: string }[]>(
        `SELECT count(*) || ' ' || coalesce(md5(string_agg(t::text, E'\\n' ORDER BY t::text)), '') AS digest FROM "${name}" t`,
      );
      digests[name] = rows[0]!.digest;
    }
    return digests;
  }
  async function metrics(): Promise<string> {
    return (await system.request<string>('GET', '/metrics')).body;
  }
  /** Messages that Curtail has refused as forged, over all consumers, as a metric counts them. */
  const forgeries = async () =>
    [...(await metrics()).matchAll(/^curtail_forged_messages_total\{.*\} (\d+)$/gm)].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    );

  /** A queue with tasks of 1 GB whose quota was lowered: five of ten have to wait for approval, one of four goes at once. */
  async function lowered(delay: string, count = 10): Promise<TestPartition> {
    const partition = await withinQuota(count, delay);
    await partition.configure({ a: { max: { memory: count === 10 ? '5G' : '3G' }, delay } });
    return partition;
  }
  /** A queue with tasks of 1 GB and a quota of 20 GB; its clock has run down without a run. */
  async function withinQuota(count = 10, delay = '1s'): Promise<TestPartition> {
    const partition = system.partition();
    await partition.run({ queue: 'root.a', count, resources: { memory: 1_000_000_000 } });
    await partition.configure({ a: { max: { memory: '20G' }, delay } });
    return partition;
  }

  it('start nothing and release no lock, however they are made', async () => {
    await (await lowered('1s', 4)).ended('root.a');
    const quiet = await withinQuota();
    await quiet.settled();
    const waiting = await lowered('1s');
    const { data: plan } = await waiting.event('PlanComputed', 'root.a');
    await system.until('the run to wait for approval', async () => (await holder(waiting)) !== undefined);
    await allChecked();
    const { enforcement } = plan;
    const ofQueue = { partition: waiting.name, queue: 'root.a', enforcement };
    const change = {
      previous: { max: { memory: 20_000_000_000 }, delayMs: 1000 },
      current: { max: { memory: 0 }, delayMs: 1 },
    };
    const ofQuiet = { partition: quiet.name, queue: 'root.a', ...change };
    const before = await quiet.log();
    await send(topics.quota, claim('QuotaChanged', ofQuiet, quiet.name, 'root.a'));
    const [ended] = await endedRun();
    await send(
      topics.enforcement,
      claim('EnforcementEnded', { ...ended, ...ofQueue }, waiting.name, 'root.a'),
      claim('EnforcementReleased', { ...ofQueue, cause: 'ended', notices: [] }, waiting.name, 'root.a'),
    );
    await send(topics.plans, claim('PlanApproved', { ...ofQueue, by: 'me' }, waiting.name, 'root.a'));
    await send(topics.control, claim('CancelRequested', { ...ofQueue, by: 'me' }, waiting.name, 'root.a'));
    await allChecked();
    expect(await quiet.log()).toEqual(before);
    expect(await holder(waiting)).toBe(enforcement);
    expect(await waiting.remaining('root.a')).toHaveLength(10);
    const names = (await waiting.log()).map(({ name }) => name);
    for (const follows of ['EnforcementReleased', 'EnforcementEnded', 'PlanApproved', 'VictimOrdered']) {
      expect(names).not.toContain(follows);
    }
    await system.request('POST', `/v1/enforcements/${enforcement}/reject`, { by: 'test' });
    await waiting.ended('root.a');
    await waiting.settled();
  });

  const holder = async ({ name }: TestPartition) => {
    const rows = await system.db.query<{ holder: string | null }[]>(
      "SELECT running_enforcement AS holder FROM clocks WHERE partition = $1 AND queue = 'root.a'",
      [name],
    );
    return rows[0]?.holder ?? undefined;
  };
  const endedRun = async (): Promise<object[]> =>
    (
      await system.db.query<{ data: object }[]>(
        `SELECT data FROM events WHERE type = '${catalog.EnforcementEnded.type}' LIMIT 1`,
      )
    ).map(({ data }) => data);

  it('have no effect, whatever event of the catalog they show and wherever; each is reported and a dead letter', async () => {
    const done = await lowered('1s', 4);
    const { data } = await done.ended('root.a');
    const pending = await lowered('1h');
    const scheduled = await pending.event('EnforcementScheduled', 'root.a');
    await done.settled();
    await pending.settled();
    const [before, lettersBefore, forgeriesBefore] = [await state(), await letters(), await forgeries()];

    const forged = internalTopics.flatMap((topic) => names.map((name) => ({ topic, name })));
    for (const topic of internalTopics) {
      await send(
        topic,
        ...names.flatMap((name) =>
          [
            { partition: done.name, enforcement: data.enforcement },
            { partition: pending.name, enforcement: scheduled.data.enforcement },
            // At a place that was handled long ago.
            { partition: pending.name, enforcement: scheduled.data.enforcement, transactionId: '1' },
          ].map(({ partition, enforcement, ...place }) => {
            const known = { partition, enforcement, queue: 'root.a', allocation: 'a-1', application: 'a' };
            const more = { memory: 0, delayMs: 1, fencingToken: 9_000_000 };
            return claim(name, plausibleData(name, { ...known, ...more }), partition, 'root.a', place);
          }),
        ),
      );
    }
    await allChecked();
    expect(await state()).toEqual(before);

    const expected = forged
      .flatMap(({ topic, name }) =>
        consumers
          .filter((consumer) => reads(consumer, topic, name))
          .map((consumer) => `${consumer.name} ${topic} ${catalog[name].type} ce_id`),
      )
      .flatMap((letter) => [letter, letter, letter]);
    const found = (await newLetters(lettersBefore)).map(
      (l) => `${l.consumer} ${l.topic} ${l.type} ${l.field}`,
    );
    expect(found.sort()).toEqual(expected.sort());
    expect((await forgeries()) - forgeriesBefore).toBe(expected.length);
    const all = await letters();
    const sentOn = await kafka.read('curtail.dead-letters', ({ length }) => length >= all.length);
    expect(sentOn).toHaveLength(all.length);
    // Every consumer that there is was attacked, and those of inbound topics read nothing here.
    const running = (await system.bus.status()).map(({ name }) => name);
    const ofLog = consumers.map(({ name }) => name);
    // `owner-answers` reads no topic of the log: owners and platforms send to its own.
    expect(running.filter((name) => !ofLog.includes(name)).sort()).toEqual([
      ...['config-ingest', 'console', 'owner-answers'],
    ]);
  });

  describe('that carry the id of an event of the log', () => {
    /** A message that was published, and that the timer handled long ago. */
    async function published(): Promise<{ message: KafkaMessage; claim: Message }> {
      const all = await kafka.read(topics.quota, (some) => some.some(isQuotaChanged));
      const message = all.filter(isQuotaChanged).find(({ headers }) => !headers!.ce_replayed)!;
      return { message, claim: { key: message.key, value: message.value, headers: message.headers! } };
    }
    const isQuotaChanged = ({ headers }: KafkaMessage) =>
      headers?.ce_type?.toString() === catalog.QuotaChanged.type && headers.ce_position !== undefined;
    const with_ = (message: Message, headers: Record<string, string>): Message => ({
      ...message,
      headers: { ...message.headers, ...headers },
    });

    it.each([
      ['at a later place of the log', { ce_position: '900000000' }, 'ce_position'],
      ['at the place of another transaction', { ce_transactionid: '1' }, 'ce_transactionid'],
      ['with another type', { ce_type: catalog.QueueRemoved.type }, 'ce_type'],
      ['as one of another partition', { ce_partition: 'q', ce_source: '/curtail/q' }, 'ce_partition'],
      ['as one of the log that is no uuid', { ce_id: 'no-uuid' }, 'ce_id'],
      ['as one of a sender of its own', { ce_source: '//platform' }, 'ce_source'],
      ['unknown, as sent once more on demand', { ce_id: randomUUID(), ce_replayed: 'true' }, 'ce_id'],
    ])('are refused %s', async (_, headers, field) => {
      const before = [await letters(), await state()] as const;
      const { claim } = await published();
      await send(topics.quota, with_(claim, headers));
      await allChecked();
      expect(await newLetters(before[0])).toMatchObject([{ consumer: 'timer', field }]);
      expect(await state()).toEqual(before[1]);
    });

    it('are refused under another key, and on another topic', async () => {
      const before = [await letters(), await state()] as const;
      const { claim } = await published();
      await send(topics.quota, { ...claim, key: 'root.z' });
      await send(topics.enforcement, claim);
      await allChecked();
      const found = (await newLetters(before[0])).map(({ topic, field }) => `${topic} ${field}`);
      expect(found.sort()).toEqual([`${topics.enforcement} topic`, `${topics.quota} key`]);
      expect(await state()).toEqual(before[1]);
    });
  });
});
