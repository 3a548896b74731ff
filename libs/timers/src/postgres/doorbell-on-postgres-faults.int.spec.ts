import { BullmqDoorbell, type Ring } from '@curtail/timers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { Heard } from '../../../../test/support/heard.js';
import { OwnServer } from '../../../../test/support/own-server.js';

const ring = (name: string, inMs: number): Ring => ({
  kind: 'quota',
  partition: 'default',
  name,
  generation: 1,
  dueAt: new Date(Date.now() + inMs),
});

describe('BullmqDoorbell, when its server', () => {
  let server: OwnServer;
  let bell: BullmqDoorbell;
  const rings = new Heard<string>();
  const errors: Error[] = [];
  beforeEach(async () => {
    server = await OwnServer.start();
    bell = await BullmqDoorbell.openOnPostgres({
      databaseUrl: server.url,
      name: 'faults',
      onError: (error) => errors.push(error),
    });
    await bell.listen(async ({ name }) => rings.add(name));
  });
  afterEach(async () => {
    await bell.close();
    await server.remove();
  });

  it('cuts every connection and then restarts, rings all the same', async () => {
    await bell.arm([ring('root.before', 0)]);
    await rings.until((name) => name === 'root.before');

    await bell.arm([ring('root.cut', 300)]);
    const client = new Client({ connectionString: server.url });
    await client.connect();
    const cut = await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    await client.end();
    expect(cut.rowCount).toBeGreaterThan(0);
    await rings.until((name) => name === 'root.cut');

    await bell.arm([ring('root.restart', 600), ring('root.meanwhile', 10)]);
    await server.restart();
    await Promise.all([
      rings.until((name) => name === 'root.restart'),
      rings.until((name) => name === 'root.meanwhile'),
    ]);
    // Told of, but no flood.
    expect(errors.length).toBeGreaterThan(0);
    expect(errors.length).toBeLessThan(100);
  });

  it('is gone for good, closes in peace', async () => {
    await server.stop();
    await bell.close();
    const told = errors.length;
    await new Promise((resolve) => setImmediate(resolve));
    expect(errors).toHaveLength(told);
  });
});
