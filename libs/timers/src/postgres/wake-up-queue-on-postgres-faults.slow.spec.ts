import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { BullmqWakeUpQueue, type WakeUp } from '#timers';
import { OwnServer } from '../../../../test/support/own-server.js';
import { Recorded } from '../../../../test/support/recorded.js';

const wakeUp = (name: string, inMs: number): WakeUp => ({
  kind: 'quota',
  partition: 'default',
  name,
  generation: 1,
  dueAt: new Date(Date.now() + inMs),
});

describe('BullmqWakeUpQueue, when its server', () => {
  let server: OwnServer;
  let wakeUpQueue: BullmqWakeUpQueue;
  const wakeUps = new Recorded<string>();
  const errors: Error[] = [];
  beforeEach(async () => {
    server = await OwnServer.start();
    wakeUpQueue = await BullmqWakeUpQueue.openOnPostgres({
      databaseUrl: server.url,
      name: 'faults',
      onError: (error) => errors.push(error),
    });
    await wakeUpQueue.listen(async ({ name }) => wakeUps.add(name));
  });
  afterEach(async () => {
    await wakeUpQueue.close();
    await server.remove();
  });

  it('cuts every connection and then restarts, wakes all the same', async () => {
    await wakeUpQueue.arm([wakeUp('root.before', 0)]);
    await wakeUps.until((name) => name === 'root.before');

    await wakeUpQueue.arm([wakeUp('root.cut', 300)]);
    const client = new Client({ connectionString: server.url });
    await client.connect();
    const cut = await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    await client.end();
    expect(cut.rowCount).toBeGreaterThan(0);
    await wakeUps.until((name) => name === 'root.cut');

    await wakeUpQueue.arm([wakeUp('root.restart', 600), wakeUp('root.meanwhile', 10)]);
    await server.restart();
    await Promise.all([
      wakeUps.until((name) => name === 'root.restart'),
      wakeUps.until((name) => name === 'root.meanwhile'),
    ]);
    // Reported, but no flood.
    expect(errors.length).toBeGreaterThan(0);
    expect(errors.length).toBeLessThan(100);
  });

  it('is gone for good, closes in peace', async () => {
    await server.stop();
    await wakeUpQueue.close();
    const reported = errors.length;
    await new Promise((resolve) => setImmediate(resolve));
    expect(errors).toHaveLength(reported);
  });
});
