import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { append, openDatabase } from '#event-store';
import { createMigratedDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { marker, markers } from '../../../../test/support/events.js';
import { kafkaClients, TestKafka } from '../../../../test/support/kafka.js';
import { Recorded } from '../../../../test/support/recorded.js';
import { createRecords, Recorder } from '../../../../test/support/recorder.js';

const streams = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const rounds = 30;

describe('three buses with the same consumer', () => {
  let server: TestDatabase;
  let db: DataSource;
  let kafkas: TestKafka[];
  beforeEach(async () => {
    server = await createMigratedDatabase();
    db = await openDatabase(server.url, { poolSize: 20 });
    await createRecords(db);
    const prefix = `${new URL(server.url).pathname.slice(1)}.`;
    // Members of a group may use different clients.
    kafkas = kafkaClients.map((client) => new TestKafka(prefix, { client, partitions: 6 }));
    await kafkas[0]!.relay(server.url);
  });
  afterEach(async () => {
    for (const kafka of kafkas) await kafka.close();
    await db.destroy();
    await server.drop();
  });

  it('share the work, and lose and double nothing while members join and leave', async () => {
    const done = new Recorded<string>();
    const sharers = new Set<number>();
    const join = async (nr: number) => {
      const recorder = new Recorder(db, 'one', {
        batchSize: 5,
        onHandle: () => {
          sharers.add(nr);
        },
      });
      recorder.committed.forward(done);
      const bus = kafkas[nr % kafkas.length]!.bus({ database: db });
      bus.subscribe(recorder);
      await bus.start();
      return bus;
    };
    const first = await join(1);
    const buses = [first];
    for (let round = 0; round < rounds; round++) {
      await db.transaction((tx) =>
        append(
          tx,
          streams.map((stream) => markers(stream, round, marker(`${stream}${round}`, `root.${stream}`))),
        ),
      );
      if (round === 5) buses.push(await join(2));
      if (round === 10) buses.push(await join(3));
      if (round === 20) await first.stop();
      // Without pauses: each round is under way while the next is appended.
      if (round % 5 === 4) await done.first(streams.length * Math.max(1, round - 3));
    }
    await done.when((names) => new Set(names).size === streams.length * rounds);
    const recorder = new Recorder(db, 'one');
    const records = await recorder.records();
    expect(records).toHaveLength(streams.length * rounds);
    for (const stream of streams) {
      expect(records.filter((name) => name.startsWith(stream))).toEqual(
        Array.from({ length: rounds }, (_, i) => `${stream}${i}`),
      );
    }
    expect(sharers.size).toBeGreaterThan(1);
  });
});
