import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { append, migrateDatabase, openDatabase, WakeListener } from '#event-store';
import { InProcessBus } from '#messaging';
import { migrations } from '#migrations';
import { marker, markers } from '../../../test/support/events.js';
import { OwnServer } from '../../../test/support/own-server.js';
import { Recorded } from '../../../test/support/recorded.js';
import { createRecords, Recorder } from '../../../test/support/recorder.js';

describe('InProcessBus, when the database goes away', () => {
  let server: OwnServer;
  let outside: DataSource;
  let db: DataSource;
  let wake: WakeListener;
  let bus: InProcessBus;
  let errors: Recorded<Error>;
  beforeAll(async () => {
    server = await OwnServer.start();
    await migrateDatabase(server.url, migrations);
    outside = await openDatabase(server.url, { applicationName: 'outside' });
    await createRecords(outside);
  });
  afterAll(async () => {
    await outside.destroy();
    await server.remove();
  });
  beforeEach(async () => {
    await outside.query('TRUNCATE events, records, inbox, subscriptions, dead_letters');
    errors = new Recorded();
    db = await openDatabase(server.url, { applicationName: 'victim' });
    wake = new WakeListener(server.url);
    await wake.start();
    // Only wake-ups bring it events: the safety net would hide a listener that stays silent.
    bus = new InProcessBus({
      database: db,
      wake,
      pollMs: 3_600_000,
      onError: (_, error) => errors.add(error),
    });
  });
  afterEach(async () => {
    await bus.stop();
    await wake.stop();
    await db.destroy();
  });

  const put = (from: number, count: number) =>
    outside.transaction((tx) =>
      append(tx, [
        markers('a', from, ...Array.from({ length: count }, (_, i) => marker(`a${from + i + 1}`))),
      ]),
    );
  const parked = async () => (await outside.query('SELECT * FROM dead_letters')).length;

  it('continues when every connection is cut in the middle of a batch, without dead letters', async () => {
    let cuts = 3;
    const cutAll = () =>
      outside.query(
        `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name IN ('victim', 'curtail-wake')`,
      );
    const recorder = new Recorder(db, 'one', {
      batchSize: 4,
      onEffects: async () => {
        if (cuts-- > 0) await cutAll();
      },
    });
    bus.subscribe(recorder);
    await put(0, 10);
    await bus.start();
    await recorder.committed.first(10);
    // Without wake-ups until it has a connection again; then it reads by itself.
    await put(10, 2);
    expect(await recorder.committed.first(12)).toEqual(Array.from({ length: 12 }, (_, i) => `a${i + 1}`));
    expect(await recorder.records()).toHaveLength(12);
    expect(await parked()).toBe(0);
    expect(cuts).toBeLessThanOrEqual(0);
  });

  it('continues after a restart of the server, without dead letters', async () => {
    const recorder = new Recorder(db, 'one');
    bus.subscribe(recorder);
    await bus.start();
    await put(0, 2);
    await recorder.committed.first(2);
    await server.restart();
    await put(2, 2);
    expect(await recorder.committed.first(4)).toEqual(['a1', 'a2', 'a3', 'a4']);
    expect(await recorder.records()).toHaveLength(4);
    expect(await parked()).toBe(0);
  });

  it('blames the handler if another server is away', async () => {
    const recorder = new Recorder(db, 'one', {
      onHandle: (names) => {
        if (names.includes('a1'))
          throw Object.assign(new Error('no way to the cluster'), { code: 'ECONNREFUSED' });
      },
    });
    bus.subscribe(recorder);
    await put(0, 2);
    await bus.start();
    expect(await recorder.committed.first(1)).toEqual(['a2']);
    expect(await parked()).toBe(1);
  });

  it('stops between two attempts of an event, and leaves it for the next start', async () => {
    const tried = new Recorded<boolean>();
    bus.subscribe(
      new Recorder(db, 'one', {
        onHandle: () => {
          tried.add(true);
          throw new Error('broken');
        },
      }),
    );
    await put(0, 1);
    await bus.start();
    await tried.first(2);
    await bus.stop();
    expect(tried.all.length).toBeLessThan(6);
    expect(await parked()).toBe(0);
    expect(errors.all).toEqual([]);
  });
});
