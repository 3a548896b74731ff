import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { topics as logTopics } from '#contracts/events';
import { readSettings } from '#platform';
import { curtailSettings } from '#runtime';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { TestKafka } from '../support/kafka.js';
import { MovedDatabase } from '../support/moved-database.js';
import { completePostgres } from '../support/postgres-programs.js';
import { query } from '../support/query.js';
import type { QueueSpec } from '../support/queue-spec.js';
import { onOwnKafkaAndRedis } from '../support/service-group.js';
import { TestPartition } from '../support/test-partition.js';

const programs = completePostgres();
const title = 'a database that is dumped and restored into another PostgreSQL cluster';

/** More than the second cluster gives out in this test. */
const burnt = 20_000;
const twenty = { memory: 20 };
/** A run of more than one victim waits for an approval. */
const careful = { approveAboveVictims: 1 };
/** Long enough to be pending at the dump, and over soon after the restore. */
const pendingAtDump = '6s';

const quotas = (more: Record<string, QueueSpec> = {}): Record<string, QueueSpec> => ({
  a: { max: { memory: 60 }, delay: '20ms' },
  b: {},
  c: {},
  d: {},
  ...more,
});
const lowered = (delay: string): QueueSpec => ({ max: { memory: 80 }, delay });

async function newestId(url: string): Promise<bigint> {
  const [row] = await query(url, 'SELECT max(transaction_id::text::bigint)::text AS id FROM events');
  return BigInt(row?.id as string);
}

async function nextId(url: string): Promise<bigint> {
  const [row] = await query(url, 'SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS id');
  return BigInt(row?.id as string);
}

if (!programs) {
  describe(title, () => {
    it.skip('needs a folder with postgres, initdb, pg_dump and pg_restore of one version (CURTAIL_PG_BIN)', () => {});
  });
} else {
  describe(title, () => {
    let moved: MovedDatabase;
    beforeEach(async () => {
      moved = await MovedDatabase.start(programs);
      await moved.burn(burnt);
    });
    afterEach(() => moved.remove());

    /** Curtail on one of the two clusters. */
    async function start(url: string, shape: Record<string, string>): Promise<EmbeddedSystem> {
      const { kafkaBrokers, kafkaTopicPrefix, redisUrl } = readSettings(curtailSettings, shape);
      const settings = { ...careful, kafkaBrokers, kafkaTopicPrefix, redisUrl };
      return EmbeddedSystem.start(settings, { url, drop: async () => {} });
    }

    /** A run that waits for an approval, a clock that is pending, and a queue to which nothing has happened. */
    async function live(system: EmbeddedSystem): Promise<string> {
      const partition = new TestPartition(system, 'default');
      await partition.run(
        { queue: 'root.a', count: 5, resources: twenty },
        { queue: 'root.b', count: 5, resources: twenty },
        { queue: 'root.c', count: 5, resources: twenty },
        { queue: 'root.d', count: 5, resources: twenty },
      );
      await partition.configure(quotas());
      const { data } = await partition.event('EnforcementOpened', 'root.a');
      expect(data.needsApproval).toBe(true);
      await partition.configure(quotas({ b: lowered(pendingAtDump) }));
      await partition.event('EnforcementScheduled', 'root.b');
      await partition.handled();
      return data.enforcement;
    }

    it.each([
      ['one PostgreSQL', () => ({})],
      ['Kafka, Redis and PostgreSQL', onOwnKafkaAndRedis],
    ])('continues without a gap, on %s', async (_servers, shapeOf) => {
      const shape: Record<string, string> = shapeOf();
      const before = await start(moved.first.url, shape);
      const waiting = await live(before).finally(() => before.stop());
      const last = await newestId(moved.first.url);
      await moved.restore(await moved.dump());
      expect(await query(moved.second.url, 'SELECT state FROM timers')).toEqual([{ state: 'pending' }]);
      // Otherwise the test would prove nothing.
      expect(await nextId(moved.second.url)).toBeLessThan(last);

      const after = await start(moved.second.url, shape);
      try {
        const partition = new TestPartition(after, 'default');
        expect((await partition.ended('root.b')).data).toMatchObject({ outcome: 'satisfied', evicted: 1 });
        expect((await after.request('POST', `/v1/enforcements/${waiting}/approve`, {})).status).toBe(200);
        expect((await partition.ended('root.a')).data).toMatchObject({ outcome: 'satisfied', evicted: 2 });
        await partition.configure(quotas({ b: lowered(pendingAtDump), c: lowered('20ms') }));
        expect((await partition.ended('root.c')).data).toMatchObject({ outcome: 'satisfied', evicted: 1 });
        await partition.settled();

        const starts = await partition.events('EnforcementStarted');
        expect(starts.map(({ key }) => key).sort()).toEqual(['root.a', 'root.b', 'root.c']);
        expect(await partition.events('VictimOrdered')).toHaveLength(4);
        expect(await partition.remaining()).toHaveLength(16);
        const [order] = await after.db.query(
          `SELECT bool_and(transaction_id > $1::xid8) AS behind FROM events WHERE time > (
               SELECT max(time) FROM events WHERE transaction_id <= $1::xid8)`,
          [String(last)],
        );
        expect(order).toEqual({ behind: true });
        await agreesWithItself(after);
        if (shape.KAFKA_BROKERS) await isPublishedOnce(after, shape.CURTAIL_KAFKA_TOPIC_PREFIX!);
      } finally {
        await after.stop();
      }
    });

    it('does all that an older backup holds and nothing that it has lost, even if Kafka has brought it before', async () => {
      const shape = onOwnKafkaAndRedis();
      const before = await start(moved.first.url, shape);
      let [dump, waiting] = ['', ''];
      try {
        waiting = await live(before);
        const partition = new TestPartition(before, 'default');
        // As a backup is made: while everything runs. The change of d is in it, and that it was published; nothing that followed.
        const clocks = before.holdClocks();
        await partition.configure(quotas({ b: lowered(pendingAtDump), d: lowered('20ms') }));
        await before.published();
        dump = await moved.dump();
        clocks.release();
        expect((await partition.ended('root.d')).data).toMatchObject({ evicted: 1 });
        await partition.configure(
          quotas({ b: lowered(pendingAtDump), c: lowered('20ms'), d: lowered('20ms') }),
        );
        expect((await partition.ended('root.c')).data).toMatchObject({ evicted: 1 });
        await partition.handled();
      } finally {
        await before.stop();
      }
      const old = await query(moved.first.url, 'SELECT id, position::text FROM events');
      await moved.restore(dump);
      const kept = await query(moved.second.url, 'SELECT id FROM events');
      const lost = old.filter(({ id }) => !kept.some((event) => event.id === id));

      const after = await start(moved.second.url, shape);
      try {
        const partition = new TestPartition(after, 'default');
        expect((await partition.ended('root.b')).data).toMatchObject({ outcome: 'satisfied', evicted: 1 });
        expect((await partition.ended('root.d')).data).toMatchObject({ outcome: 'satisfied', evicted: 1 });
        await partition.configure(
          quotas({ b: lowered(pendingAtDump), c: lowered('20ms'), d: lowered('20ms') }),
        );
        expect((await partition.ended('root.c')).data).toMatchObject({ outcome: 'satisfied', evicted: 1 });
        await after.request('POST', `/v1/enforcements/${waiting}/approve`, {});
        expect((await partition.ended('root.a')).data).toMatchObject({ outcome: 'satisfied', evicted: 2 });
        await partition.settled();
        expect(await partition.events('VictimOrdered')).toHaveLength(5);
        expect(await partition.remaining()).toHaveLength(15);
        const now = await after.db.query('SELECT id, position::text FROM events');
        // The places of lost events are taken by others.
        const taken = lost.filter(({ position }) =>
          now.some((event: (typeof lost)[number]) => event.position === position),
        );
        expect(taken.length).toBeGreaterThan(0);
        expect(now.filter((event: (typeof lost)[number]) => lost.some(({ id }) => id === event.id))).toEqual(
          [],
        );
        expect(await after.db.query('SELECT reason FROM dead_letters')).toEqual([]);
      } finally {
        await after.stop();
        await new TestKafka(shape.CURTAIL_KAFKA_TOPIC_PREFIX!).close();
      }
    });
  });
}

/** Every plan, of before and after, comes out of the log as it was recorded. */
async function agreesWithItself(system: EmbeddedSystem): Promise<void> {
  const { body } = await system.request('POST', '/v1/replays', { into: 'digest' });
  expect(body.result).toMatchObject({ plans: 3, different: [] });
}

/** The topics hold every event of the log, each once, and those of a key in the order of the log. */
async function isPublishedOnce(system: EmbeddedSystem, prefix: string): Promise<void> {
  const kafka = new TestKafka(prefix);
  try {
    for (const topic of Object.values(logTopics)) {
      const log = await system.db.query<{ id: string; key: string }[]>(
        'SELECT id, key FROM events WHERE topic = $1 ORDER BY events.transaction_id, events.position',
        [topic],
      );
      if (log.length === 0) continue;
      const messages = await kafka.read(topic, (all) => all.length >= log.length);
      const published = messages.map(({ key, headers }) => ({
        id: String(headers?.ce_id),
        key: String(key),
      }));
      expect([topic, idsByKey(published)]).toEqual([topic, idsByKey(log)]);
    }
  } finally {
    await kafka.close();
  }
}

function idsByKey(events: { id: string; key: string }[]): Map<string, string[]> {
  const ids = new Map<string, string[]>();
  for (const { id, key } of events) ids.set(key, [...(ids.get(key) ?? []), id]);
  return ids;
}
