import { describe, expect, it } from '@jest/globals';
import { append, openDatabase, WakeListener } from '#event-store';
import { InProcessBus } from '#messaging';
import { eventBusContract } from '../../../test/contracts/event-bus.js';
import { createMigratedDatabase } from '../../../test/support/database.js';
import { marker, markers } from '../../../test/support/events.js';
import { Recorded } from '../../../test/support/recorded.js';
import { createRecords, Recorder } from '../../../test/support/recorder.js';

eventBusContract('in process', async ({ url, ...options }) => {
  const wake = new WakeListener(url);
  await wake.start();
  return { bus: new InProcessBus({ ...options, wake }), close: () => wake.stop() };
});

describe('a consumer that needs the order of the log', () => {
  it('handles each event once in any process, with its place in the log as the only mark', async () => {
    const server = await createMigratedDatabase();
    const db = await openDatabase(server.url, { poolSize: 10 });
    await createRecords(db);
    const wake = new WakeListener(server.url);
    await wake.start();
    const recorders = [1, 2].map(() =>
      Object.assign(new Recorder(db, 'reader', { batchSize: 3 }), { order: 'log' as const }),
    );
    const parked: string[] = [];
    const buses = recorders.map((recorder) => {
      const bus = new InProcessBus({
        database: db,
        wake,
        onParked: (_consumer, _id, why) => parked.push(why),
      });
      bus.subscribe(recorder);
      return bus;
    });
    try {
      await Promise.all(buses.map((bus) => bus.start()));
      for (let from = 0; from < 60; from += 10) {
        const some = Array.from({ length: 10 }, (_, i) => marker(`a${from + i + 1}`));
        await db.transaction((tx) => append(tx, [markers('a', from, ...some)]));
      }
      while ((await recorders[0]!.records()).length < 60) await db.query('SELECT pg_sleep(0.01)');
      await Promise.all(buses.map((bus) => bus.stop()));
      expect(await recorders[0]!.records()).toEqual(Array.from({ length: 60 }, (_, i) => `a${i + 1}`));
      expect(await db.query('SELECT 1 FROM inbox')).toEqual([]);
      expect(parked).toEqual([]);
    } finally {
      await Promise.all(buses.map((bus) => bus.stop()));
      await wake.stop();
      await db.destroy();
      await server.drop();
    }
  });
});

describe('a dead letter of a consumer that needs the order of the log', () => {
  it('is left to an operator', async () => {
    const server = await createMigratedDatabase();
    const db = await openDatabase(server.url);
    const wake = new WakeListener(server.url);
    await wake.start();
    const recorder = new Recorder(db, 'reader', {
      onHandle: () => {
        throw new TypeError('a slip');
      },
    });
    const parked = new Recorded<string>();
    const onParked = (_consumer: string, _event: string, why: string) => parked.add(why);
    const bus = new InProcessBus({ database: db, wake, onParked });
    bus.subscribe(Object.assign(recorder, { order: 'log' as const }));
    try {
      await bus.start();
      await db.transaction((tx) => append(tx, [markers('a', 0, marker('a1'))]));
      await parked.first(1);
      expect(await db.query('SELECT retry_at FROM dead_letters')).toEqual([{ retry_at: null }]);
    } finally {
      await bus.stop();
      await wake.stop();
      await db.destroy();
      await server.drop();
    }
  });
});

describe('a process that may crash with an event', () => {
  it('records what it begins until it has handled all that was there when it started', async () => {
    const server = await createMigratedDatabase();
    const db = await openDatabase(server.url, { poolSize: 5 });
    await createRecords(db);
    const wake = new WakeListener(server.url);
    await wake.start();
    const begun: number[] = [];
    const recorder = new Recorder(db, 'reader', {
      onHandle: async () => {
        const [{ count }] = await db.query('SELECT count(*)::int AS count FROM attempts');
        begun.push(count);
      },
    });
    const bus = new InProcessBus({ database: db, wake });
    bus.subscribe(recorder);
    const put = (from: number, count: number) =>
      db.transaction((tx) =>
        append(tx, [markers('a', from, ...Array.from({ length: count }, (_, i) => marker(`a${from + i}`)))]),
      );
    try {
      await put(0, 2);
      await bus.start();
      await recorder.committed.first(2);
      expect(begun).toEqual([2]);
      // An event may still come before the process has seen that there was none; not every one of them.
      let events = 2;
      for (; begun.at(-1) !== 0 && events < 50; events++) {
        await put(events, 1);
        await recorder.committed.first(events + 1);
      }
      expect(begun.at(-1)).toBe(0);
    } finally {
      await bus.stop();
      await wake.stop();
      await db.destroy();
      await server.drop();
    }
  });
});
