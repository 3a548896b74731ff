import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { append, openDatabase } from '#event-store';
import { EventNotReady } from '#messaging';
import { type KafkaServer, startKafka } from '../../../../scripts/infra/index.js';
import { createMigratedDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { marker, markers } from '../../../../test/support/events.js';
import { hasty, kafkaClients, TestKafka } from '../../../../test/support/kafka.js';
import { Recorded } from '../../../../test/support/recorded.js';
import { createRecords, Recorder } from '../../../../test/support/recorder.js';
import type { KafkaBus, KafkaBusOptions } from './kafka-bus.js';
import { PartitionBatches } from './partition-batches.js';

describe.each(kafkaClients)('KafkaBus with %s survives', (client) => {
  let broker: KafkaServer;
  let server: TestDatabase;
  let db: DataSource;
  let kafka: TestKafka;
  let crashes: Recorded<string>;
  let refused: Recorded<Error>;
  let errors: Recorded<Error>;
  let parked: Recorded<string>;
  let appended: Map<string, number>;
  beforeAll(async () => {
    broker = await startKafka();
  });
  afterAll(() => broker.remove());
  beforeEach(async () => {
    server = await createMigratedDatabase();
    db = await openDatabase(server.url, { poolSize: 20 });
    await createRecords(db);
    kafka = new TestKafka(`${new URL(server.url).pathname.slice(1)}.`, { client, brokers: broker.brokers });
    [crashes, refused, errors, parked] = [new Recorded(), new Recorded(), new Recorded(), new Recorded()];
    appended = new Map();
  });
  afterEach(async () => {
    await kafka.close();
    await db.destroy();
    await server.drop();
  });

  async function start(
    consumers: Recorder[],
    options: Partial<KafkaBusOptions> = {},
    of = kafka,
  ): Promise<KafkaBus> {
    const bus = of.bus({
      database: db,
      onCrash: (_, error) => crashes.add(error.message),
      onRefusedCommit: (_, error) => refused.add(error),
      onError: (_, error) => errors.add(error),
      onParked: (_, __, reason) => parked.add(reason),
      ...options,
    });
    for (const consumer of consumers) bus.subscribe(consumer);
    await bus.start();
    return bus;
  }
  /** As in the contract suite: a1, a2, … in the stream and under the key of their letter. */
  async function put(stream: string, count = 1): Promise<void> {
    const from = appended.get(stream) ?? 0;
    appended.set(stream, from + count);
    const events = Array.from({ length: count }, (_, i) =>
      marker(`${stream}${from + i + 1}`, `root.${stream}`),
    );
    await db.transaction((tx) => append(tx, [markers(stream, from, ...events)]));
  }

  it('a broker that is not there yet at the start, and one that goes away', async () => {
    await broker.stop();
    const recorder = new Recorder(db, 'one');
    await start([recorder]);
    await kafka.relay(server.url);
    await put('a', 2);
    expect((await crashes.first(1))[0]).toMatch(/^consumer one: .*ECONNREFUSED/);
    await broker.start();
    expect(await recorder.committed.first(2)).toEqual(['a1', 'a2']);

    await broker.kill();
    await put('a', 2);
    await broker.start();
    await recorder.committed.first(4);
    expect(await recorder.records()).toEqual(['a1', 'a2', 'a3', 'a4']);
    expect(parked.all).toEqual([]);
  });

  it('a missing topic: it reports so, and begins when the topic exists', async () => {
    const unmanaged = new TestKafka(kafka.prefix, { client, brokers: broker.brokers, manage: false });
    const recorder = new Recorder(db, 'one');
    const bus = await start([recorder], {}, unmanaged);
    expect((await crashes.first(1))[0]).toContain(`there is no topic ${kafka.prefix}curtail.`);
    await put('a');
    await kafka.relay(server.url);
    expect(await recorder.committed.first(1)).toEqual(['a1']);
    await bus.stop();
  });

  it.each([TypeError, RangeError, ReferenceError, SyntaxError])(
    'a %p in a handler: the event becomes a dead letter, the others proceed, the consumer lives',
    async (Fault) => {
      const recorder = new Recorder(db, 'one', {
        onHandle: (names) => {
          if (names.includes('a2')) throw new Fault('a slip of the pen');
        },
      });
      await start([recorder]);
      await kafka.relay(server.url);
      await put('a', 3);
      expect(await recorder.committed.first(2)).toEqual(['a1', 'a3']);
      await put('a');
      expect(await recorder.committed.first(3)).toEqual(['a1', 'a3', 'a4']);
      expect(parked.all).toEqual(['a slip of the pen']);
      expect(crashes.all).toEqual([]);
    },
  );

  it('a refused commit: redeliveries are deduplicated', async () => {
    const hanging = new TestKafka(kafka.prefix, { client, brokers: broker.brokers, sessionTimeoutMs: 1000 });
    const recorder = new Recorder(db, 'one', {
      onEffects: (names) => {
        // The whole process hangs, and the broker removes the consumer.
        if (names.includes('a2') && refused.all.length === 0) {
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5000);
        }
      },
    });
    const bus = await start([recorder], {}, hanging);
    await kafka.relay(server.url);
    await put('a', 3);
    await refused.first(1);
    await put('a');
    await recorder.committed.until((name) => name === 'a4');
    expect(await recorder.records()).toEqual(['a1', 'a2', 'a3', 'a4']);
    await bus.stop();
  });

  it('a batch that takes longer than the session: it stays in the group', async () => {
    const recorder = new Recorder(db, 'one', {
      onHandle: () => new Promise((resolve) => setTimeout(resolve, 2 * hasty.sessionTimeoutMs)),
    });
    const bus = await start([recorder]);
    await kafka.relay(server.url);
    await put('a', 3);
    expect(await recorder.committed.first(3)).toEqual(['a1', 'a2', 'a3']);
    await bus.stop();
    expect(refused.all).toEqual([]);
    expect(recorder.batches.all.flat()).toEqual(['a1', 'a2', 'a3']);
  });

  it('an event that waits for a moment: it is not fetched again', async () => {
    let tries = 0;
    const recorder = new Recorder(db, 'one', {
      onHandle: async () => {
        if (++tries < 3) throw new EventNotReady('not yet');
      },
    });
    const handle = jest.spyOn(PartitionBatches.prototype, 'handle');
    await start([recorder]);
    await kafka.relay(server.url);
    await put('a');
    expect(await recorder.committed.first(1)).toEqual(['a1']);
    expect(tries).toBe(3);
    expect(handle.mock.calls.filter(([{ batch }]) => batch.messages.length > 0)).toHaveLength(1);
    handle.mockRestore();
  });

  it('an event that waits for a later one: other partitions proceed meanwhile', async () => {
    const recorder: Recorder = new Recorder(db, 'one', {
      onHandle: async (names) => {
        if (names.includes('a1') && !(await recorder.records()).includes('b1'))
          throw new EventNotReady('b1 is first');
      },
    });
    await start([recorder], { partitionsAtOnce: 1 });
    await kafka.relay(server.url);
    await put('a');
    await recorder.batches.first(1);
    await put('b');
    expect(await recorder.committed.first(2)).toEqual(['b1', 'a1']);
    expect(parked.all).toEqual([]);
  });

  it('a database that ends every connection in the middle of a batch', async () => {
    const outside = await openDatabase(server.url, { applicationName: 'outside' });
    let cuts = 3;
    const recorder = new Recorder(db, 'one', {
      batchSize: 4,
      onEffects: async () => {
        if (cuts-- > 0) {
          await outside.query(
            `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
             WHERE datname = current_database() AND application_name = 'curtail'`,
          );
        }
      },
    });
    await start([recorder]);
    await kafka.relay(server.url);
    await outside.transaction((tx) =>
      append(tx, [markers('a', 0, ...Array.from({ length: 10 }, (_, i) => marker(`a${i + 1}`)))]),
    );
    await recorder.committed.first(10);
    expect(await recorder.records()).toEqual(Array.from({ length: 10 }, (_, i) => `a${i + 1}`));
    expect(parked.all).toEqual([]);
    expect(cuts).toBeLessThanOrEqual(0);
    await outside.destroy();
  });

  it('a handler that never ends: stop() has a deadline of its own', async () => {
    let release = () => {};
    const recorder = new Recorder(db, 'one', {
      onHandle: () =>
        new Promise((resolve) => {
          release = resolve;
        }),
    });
    const bus = await start([recorder], { drainMs: 300 });
    await kafka.relay(server.url);
    await put('a');
    await recorder.batches.first(1);
    await bus.stop();
    expect(errors.all.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/^one did not end within/),
    );
    release();
  });

  it('brokers that hang: stop() of the relay has a deadline of its own, and the next one publishes again', async () => {
    const recorder = new Recorder(db, 'one');
    await start([recorder]);
    const relay = await kafka.relay(server.url, { drainMs: 300, onError: (error) => errors.add(error) });
    await put('a');
    await recorder.committed.first(1);
    await broker.freeze();
    await put('a');
    // It releases the lead while it waits for the brokers.
    while ((await relay.status()).leader !== undefined);
    await relay.stop();
    expect(errors.all.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/^the relay did not end within/),
    );
    await broker.thaw();
    await kafka.relay(server.url);
    await recorder.committed.first(2);
    expect(await recorder.records()).toEqual(['a1', 'a2']);
  });
});
