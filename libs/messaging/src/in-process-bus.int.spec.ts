import { append, openDatabase, WakeListener } from '@curtail/event-store';
import { InProcessBus } from '@curtail/messaging';
import { describe, expect, it } from '@jest/globals';
import { eventBusContract } from '../../../test/contracts/event-bus.js';
import { createMigratedDatabase } from '../../../test/support/database.js';
import { marker, markers } from '../../../test/support/events.js';
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
