import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { KafkaMessage } from 'kafkajs';
import type { DataSource } from 'typeorm';
import { append, type NewEvent, openDatabase, type StreamAppend } from '#event-store';
import { createMigratedDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { marker, markers } from '../../../../test/support/events.js';
import { TestKafka } from '../../../../test/support/kafka.js';
import { Recorded } from '../../../../test/support/recorded.js';
import { RelayProcess } from '../../../../test/support/relay-process.js';

/** A relay that reads after a wake-up only. */
const onlyWoken = { pollMs: 3_600_000, leaseMs: 3 * 3_600_000 };
const released: NewEvent = {
  event: {
    name: 'EnforcementReleased',
    data: {
      partition: 'default',
      queue: 'root.a',
      enforcement: 'e',
      cause: 'ended',
      shortfall: {},
      notices: [],
    },
  },
  key: 'root.a',
};

describe('OutboxRelay', () => {
  let server: TestDatabase;
  let db: DataSource;
  let kafka: TestKafka;
  let processes: RelayProcess[];
  beforeEach(async () => {
    server = await createMigratedDatabase();
    db = await openDatabase(server.url);
    kafka = new TestKafka(`${new URL(server.url).pathname.slice(1)}.`);
    processes = [];
  });
  afterEach(async () => {
    await Promise.all(processes.map((one) => one.kill()));
    await kafka.close();
    await db.destroy();
    await server.drop();
  });

  const put = (...appends: StreamAppend[]) => db.transaction((tx) => append(tx, appends));
  const byOf = ({ value }: KafkaMessage) => (JSON.parse(String(value)) as { by: string }).by;
  const readAll = () => kafka.read('curtail.control', (all) => all.some((one) => byOf(one) === 'last'));
  const once = (names: string[]) => [...new Set(names)];
  const startProcess = () => {
    const one = new RelayProcess(server.url, kafka.prefix);
    processes.push(one);
    return one;
  };

  it('publishes CloudEvents in binary mode, the data byte for byte as in the log', async () => {
    await put(markers('a', 0, marker('größe', 'root.a'), marker('last', 'root.a')));
    await kafka.relay(server.url);
    const [message] = await readAll();
    const [event] = await db.query(
      'SELECT id, position, transaction_id, data::text FROM events WHERE version = 1',
    );
    expect(message!.value!.toString()).toBe(event.data);
    expect(message!.key!.toString()).toBe('root.a');
    const headers = Object.entries(message!.headers!).map(([name, value]) => [name, String(value)]);
    const bare = event.id.replaceAll('-', '');
    expect(Object.fromEntries(headers)).toEqual({
      ce_specversion: '1.0',
      ce_id: event.id,
      ce_type: 'io.curtail.killswitch.cleared.v1',
      ce_source: '/curtail/default',
      ce_time: '2026-11-01T00:00:00.000Z',
      ce_subject: 'root.a',
      ce_partition: 'default',
      ce_stream: 'a',
      ce_version: '1',
      ce_transactionid: event.transaction_id,
      ce_position: event.position,
      ce_schemaversion: '1',
      traceparent: `00-${bare}-${bare.slice(16)}-01`,
      'content-type': 'application/json',
    });
  });

  it('skips no late commit, and keeps the order of each key', async () => {
    await kafka.relay(server.url, { pageSize: 10 });
    const letters = ['a', 'b', 'c', 'd'];
    await Promise.all(
      letters.map(async (letter, nr) => {
        for (let from = 0; from < 40; from += 2) {
          await db.transaction(async (tx) => {
            await append(tx, [markers(letter, from, marker(`${letter}${from}`, `root.${letter}`))]);
            // Every transaction is open while others begin and end.
            await tx.query('SELECT pg_sleep($1)', [(nr * 3 + (from % 5)) / 1000]);
            await append(tx, [markers(letter, from + 1, marker(`${letter}${from + 1}`, `root.${letter}`))]);
          });
        }
      }),
    );
    // Each partition has a last one.
    await put(
      ...letters.map((letter) => markers(`last-${letter}`, 0, marker(`last-${letter}`, `root.${letter}`))),
    );
    const messages = await kafka.read(
      'curtail.control',
      (all) => all.filter((one) => byOf(one).startsWith('last')).length === letters.length,
    );
    const names = messages.map(byOf);
    for (const letter of letters) {
      expect(names.filter((name) => name.startsWith(letter))).toEqual(
        Array.from({ length: 40 }, (_, i) => `${letter}${i}`),
      );
    }
  });

  it('releases the lead when it stops, and publishes nothing twice then', async () => {
    const leads = new Recorded<string>();
    const relay = (name: string) =>
      kafka.relay(server.url, { onLead: (is) => leads.add(`${name} ${is ? 'leads' : 'follows'}`) });
    const first = await relay('first');
    await leads.first(1);
    await relay('second');
    await put(markers('a', 0, marker('a1')));
    await first.stop();
    await leads.first(3);
    await put(markers('a', 1, marker('last')));
    expect((await readAll()).map(byOf)).toEqual(['a1', 'last']);
    expect(leads.all.slice(0, 3)).toEqual(['first leads', 'first follows', 'second leads']);
  });

  it.each(['kill', 'freeze'] as const)(
    'continues in another process after a %s of the leading one: nothing is lost, and only repetitions are out of order',
    async (fault) => {
      const [one, other] = [startProcess(), startProcess()];
      const leader = await Promise.race([one, other].map((each) => each.lines.first(1).then(() => each)));
      const standby = leader === one ? other : one;
      for (let from = 0; from < 400; from += 10) {
        await put(markers('a', from, ...Array.from({ length: 10 }, (_, i) => marker(`${from + i}`))));
        if (from === 100) await (fault === 'kill' ? leader.kill() : leader.freeze());
      }
      await standby.lines.until((line) => line === 'leads');
      await standby.lines.until((line) => line.startsWith('published'));
      if (fault === 'freeze') {
        // It detects that it lost the lead, and is on standby.
        leader.thaw();
        await leader.lines.until((line) => line === 'follows');
      }
      await put(markers('a', 400, marker('last')));
      const names = (await readAll()).map(byOf);
      expect(once(names)).toEqual([...Array.from({ length: 400 }, (_, i) => `${i}`), 'last']);
    },
  );

  it('delivers an event of some megabytes, and a reference to the data of a longer one', async () => {
    const long = 'x'.repeat(3_000_000);
    const far = randomBytes(2_500_000).toString('hex');
    await put(markers('a', 0, marker(long), marker(far), marker('last')));
    await kafka.relay(server.url);
    const received = new Recorded<string>();
    const bus = kafka.bus({ database: db });
    bus.subscribe({
      name: 'reader',
      topics: ['curtail.control'],
      handle: async (events) => {
        for (const { data } of events) received.add((data as { by: string }).by);
        return undefined;
      },
    });
    await bus.start();
    const messages = await readAll();
    expect(messages.map(byOf)).toEqual([long, undefined, 'last']);
    const [{ id }] = await db.query('SELECT id FROM events WHERE version = 2');
    expect(JSON.parse(String(messages[1]!.value))).toEqual({ dataref: `/v1/events/${id}` });
    const refs = messages.map(({ headers }) => headers?.ce_dataref?.toString());
    expect(refs).toEqual([undefined, `/v1/events/${id}`, undefined]);
    expect(await received.first(3)).toEqual([long, far, 'last']);
  });

  it('refers to data that exceed a lower limit of the topic', async () => {
    kafka = new TestKafka(kafka.prefix, { maxMessageBytes: 20_000 });
    const long = randomBytes(50_000).toString('hex');
    await put(markers('a', 0, marker('first'), marker(long), marker('last')));
    await kafka.relay(server.url);
    expect((await readAll()).map(byOf)).toEqual(['first', undefined, 'last']);
  });

  it('publishes what no run waits for together with what follows it', async () => {
    const pages = new Recorded<number>();
    const onPublished = (events: number) => pages.add(events);
    await kafka.relay(server.url, { gatherMs: 3_600_000, ...onlyWoken, onPublished });
    const arePublished = (events: number) =>
      pages.when((all) => all.reduce((sum, one) => sum + one, 0) === events);
    await put(markers('a', 0, marker('first')));
    await arePublished(1);
    // An earlier announcement that arrives late, or another transaction that holds back the log, lets the relay read in between.
    for (let version = 1; pages.all.at(-1) !== 2; version += 2) {
      expect(version).toBeLessThan(20);
      await put(markers('a', version, released));
      // For as long as it would take to be published by itself.
      await delay(200);
      await put(markers('a', version + 1, marker('next')));
      await arePublished(version + 2);
    }
  });

  it('publishes what no run waits for if nothing follows', async () => {
    const pages = new Recorded<number>();
    await kafka.relay(server.url, { gatherMs: 1, ...onlyWoken, onPublished: (events) => pages.add(events) });
    await put(markers('a', 0, marker('first')));
    await pages.first(1);
    await put(markers('a', 1, released));
    expect(await pages.first(2)).toEqual([1, 1]);
  });

  it('reports the leader and the number of unpublished events', async () => {
    const relay = await kafka.relay(server.url);
    await put(markers('a', 0, marker('last')));
    await readAll();
    const settled = async () => {
      for (;;) {
        const status = await relay.status();
        if (status.behind === 0) return status;
      }
    };
    expect(await settled()).toEqual({ leads: true, leader: 'test', behind: 0 });
  });
});
